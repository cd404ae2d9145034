import type { Template } from '@payments/client/schemas'
import { AmountField } from '../../layout/fields.tsx'
import { type Bind, Form } from '../../layout/form.tsx'
import { channelNames } from '../../parts/messages/templates.ts'
import type { Action } from '../../session/action.ts'
import { foreign } from '../../text/format.ts'
import { Money } from '../../ui/content.tsx'
import { CheckField, optionsAfter, SelectField, TextField, toOptions } from '../../ui/fields.tsx'
import type { Draft, Payment } from './draft.ts'
import styles from './invite.module.css'
import { MessageFields } from './message-fields.tsx'

interface InviteFormProps {
  readonly draft: Draft
  readonly bind: Bind<Draft>
  readonly payment: Payment | undefined
  readonly templates: readonly Template[]
  readonly mayCapture: boolean
  readonly action: Pick<Action<never>, 'isRunning' | 'failure' | 'fieldError' | 'reason'>
  readonly onChange: (part: Partial<Draft>) => void
  readonly onSubmit: () => void
}

export function InviteForm(props: InviteFormProps) {
  const { draft, bind, payment, templates, action, onChange, onSubmit } = props
  return (
    <Form action={action} submit="Send invitation" onSubmit={onSubmit}>
      {payment === undefined ? (
        <div className={styles.pair}>
          <AmountField label="Amount" currency={draft.currency} {...bind('amount', '/transaction/amount')} />
          <TextField
            label="Currency"
            isRequired
            pattern="[A-Z]{3}"
            maxLength={3}
            {...bind('currency', '/transaction/currency')}
            onChange={(currency) => onChange({ currency: currency.toUpperCase() })}
          />
        </div>
      ) : (
        <p>
          To pay <Money amount={payment.amount} currency={payment.currency} />, transaction{' '}
          <code>{foreign(payment.external_reference ?? payment.id)}</code>
        </p>
      )}
      <SelectField
        label="Channel"
        value={draft.channel}
        options={toOptions(channelNames)}
        onChange={(channel) => onChange({ channel, templateId: '', variables: {} })}
      />
      <MessageFields message={draft} templates={templates} fieldError={action.fieldError} onChange={onChange} />
      <SelectField
        label="The link works for"
        options={lifetimes}
        {...bind('expiresInHours', '/expires_at')}
        onChange={(expiresInHours) => onChange({ expiresInHours, remindBeforeHours: '' })}
      />
      <details>
        <summary>More options</summary>
        <div className="stack">
          <MoreFields {...props} />
        </div>
      </details>
    </Form>
  )
}

function MoreFields({ draft, bind, payment, mayCapture, onChange }: InviteFormProps) {
  const hours = Number(draft.expiresInHours)
  return (
    <>
      <SelectField
        label="Reminder"
        options={reminders.filter(({ value }) => Number(value) < hours)}
        {...bind('remindBeforeHours', '/reminder_at')}
      />
      {payment === undefined ? (
        <TextField
          label="Your reference"
          hint="Unique within the business unit."
          maxLength={200}
          {...bind('reference', '/transaction/external_reference')}
        />
      ) : null}
      <TextField
        label="Page after the payment"
        hint="An https address of your shop."
        type="url"
        {...bind('returnUrl', '/return_url')}
      />
      <CheckField isChecked={draft.capture} isDisabled={!mayCapture} onChange={(capture) => onChange({ capture })}>
        Capture the payment at once {mayCapture ? null : <small>needs transaction:CaptureTransaction</small>}
      </CheckField>
    </>
  )
}

const lifetimes = toOptions({
  '1': 'an hour',
  '24': 'a day',
  '72': 'three days',
  '168': 'a week',
  '720': '30 days',
  '1440': '60 days',
})

const reminders = optionsAfter('None', {
  '2': 'Two hours before the link expires',
  '24': 'A day before the link expires',
  '72': 'Three days before the link expires',
})
