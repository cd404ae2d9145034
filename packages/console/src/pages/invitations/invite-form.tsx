import type { Template } from '@payments/client/schemas'
import { AmountField } from '../../layout/amount-field.tsx'
import { Form } from '../../layout/form.tsx'
import type { Action } from '../../session/action.ts'
import { foreign } from '../../text/foreign.ts'
import { Field } from '../../ui/field.tsx'
import { Money } from '../../ui/money.tsx'
import { Select } from '../../ui/select.tsx'
import type { Draft, Payment } from './draft.ts'
import styles from './invite.module.css'
import { MessageFields } from './message-fields.tsx'

interface InviteFormProps {
  readonly draft: Draft
  readonly payment: Payment | undefined
  readonly templates: readonly Template[]
  readonly mayCapture: boolean
  readonly action: Pick<Action<never>, 'isRunning' | 'failure' | 'failureOf' | 'reason'>
  readonly onChange: (part: Partial<Draft>) => void
  readonly onSubmit: () => void
}

export function InviteForm({ draft, payment, templates, mayCapture, action, onChange, onSubmit }: InviteFormProps) {
  return (
    <Form action={action} submit="Send invitation" onSubmit={onSubmit}>
      {payment === undefined ? (
        <MoneyFields draft={draft} action={action} onChange={onChange} />
      ) : (
        <p>
          To pay <Money amount={payment.amount} currency={payment.currency} />, transaction{' '}
          <code>{foreign(payment.external_reference ?? payment.id)}</code>
        </p>
      )}
      <Field label="Channel">
        {(control) => (
          <Select
            {...control}
            value={draft.channel}
            options={channels}
            onChange={(channel) => onChange({ channel: channel as Draft['channel'], templateId: '', variables: {} })}
          />
        )}
      </Field>
      <MessageFields message={draft} templates={templates} failureOf={action.failureOf} onChange={onChange} />
      <Field label="The link works for" error={action.failureOf('/expires_at')}>
        {(control) => (
          <Select
            {...control}
            value={draft.expiresInHours}
            options={lifetimes}
            onChange={(expiresInHours) => onChange({ expiresInHours, remindBeforeHours: '' })}
          />
        )}
      </Field>
      <details>
        <summary>More options</summary>
        <div className="stack">
          <MoreFields draft={draft} payment={payment} mayCapture={mayCapture} action={action} onChange={onChange} />
        </div>
      </details>
    </Form>
  )
}

type PartProps = Pick<InviteFormProps, 'draft' | 'action' | 'onChange'>

function MoneyFields({ draft, action, onChange }: PartProps) {
  return (
    <div className={styles.pair}>
      <AmountField
        label="Amount"
        currency={draft.currency}
        text={draft.amount}
        onChange={(amount) => onChange({ amount })}
        error={action.failureOf('/transaction/amount')}
      />
      <Field label="Currency" error={action.failureOf('/transaction/currency')}>
        {(control) => (
          <input
            {...control}
            required
            pattern="[A-Z]{3}"
            maxLength={3}
            value={draft.currency}
            onChange={({ target }) => onChange({ currency: target.value.toUpperCase() })}
          />
        )}
      </Field>
    </div>
  )
}

type MoreProps = Pick<InviteFormProps, 'draft' | 'payment' | 'mayCapture' | 'action' | 'onChange'>

function MoreFields({ draft, payment, mayCapture, action, onChange }: MoreProps) {
  const hours = Number(draft.expiresInHours)
  return (
    <>
      <Field label="Reminder" error={action.failureOf('/reminder_at')}>
        {(control) => (
          <Select
            {...control}
            value={draft.remindBeforeHours}
            options={reminders.filter(({ value }) => Number(value) < hours)}
            onChange={(remindBeforeHours) => onChange({ remindBeforeHours })}
          />
        )}
      </Field>
      {payment === undefined ? <ReferenceField draft={draft} action={action} onChange={onChange} /> : null}
      <Field
        label="Page after the payment"
        hint="An https address of your shop."
        error={action.failureOf('/return_url')}
      >
        {(control) => (
          <input
            {...control}
            type="url"
            maxLength={2_000}
            value={draft.returnUrl}
            onChange={({ target }) => onChange({ returnUrl: target.value })}
          />
        )}
      </Field>
      <label className="row">
        <input
          type="checkbox"
          checked={draft.capture}
          disabled={!mayCapture}
          onChange={({ target }) => onChange({ capture: target.checked })}
        />
        Capture the payment at once
        {mayCapture ? null : <small>needs transaction:CaptureTransaction</small>}
      </label>
    </>
  )
}

function ReferenceField({ draft, action, onChange }: PartProps) {
  return (
    <Field
      label="Your reference"
      hint="Unique within the business unit."
      error={action.failureOf('/transaction/external_reference')}
    >
      {(control) => (
        <input
          {...control}
          maxLength={200}
          value={draft.reference}
          onChange={({ target }) => onChange({ reference: target.value })}
        />
      )}
    </Field>
  )
}

const channels = [
  { value: 'EMAIL', label: 'Email' },
  { value: 'SMS', label: 'SMS' },
]

const lifetimes = [
  { value: '1', label: 'an hour' },
  { value: '24', label: 'a day' },
  { value: '72', label: 'three days' },
  { value: '168', label: 'a week' },
  { value: '720', label: '30 days' },
  { value: '1440', label: '60 days' },
]

const reminders = [
  { value: '', label: 'None' },
  { value: '2', label: 'Two hours before the link expires' },
  { value: '24', label: 'A day before the link expires' },
  { value: '72', label: 'Three days before the link expires' },
]
