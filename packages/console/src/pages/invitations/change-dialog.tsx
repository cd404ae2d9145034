import type { Code } from '@payments/client/schemas'
import { useState } from 'react'
import { OtherChange } from '../../layout/edit.tsx'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { instantOf, localOf } from '../../text/local-time.ts'
import { isSame, mergePatchOf } from '../../text/merge-patch.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { useTemplates } from '../messages/templates.ts'
import { detailsOf } from './draft.ts'
import { MessageFields, messageFields } from './message-fields.tsx'

type Changes = Parameters<typeof api.updateCode>[0]['body']

const formOf = (code: Code) => ({
  channel: code.communication_type,
  recipient: code.recipient,
  locale: code.locale ?? '',
  payerName: code.communication_details.payer_name ?? '',
  description: code.communication_details.description ?? '',
  templateId: code.template_id ?? '',
  variables: code.communication_details.variables ?? {},
  expiresAt: localOf(code.expires_at),
  reminderAt: localOf(code.reminder_at),
  returnUrl: code.return_url ?? '',
})

type FormValues = ReturnType<typeof formOf>

/** The fields that differ from those with which the dialog was opened. */
function changesOf(before: FormValues, after: FormValues): Changes {
  // The API merges the details: null removes one.
  const details = mergePatchOf(detailsOf(before), detailsOf(after))
  const isChanged = (name: keyof FormValues) => before[name] !== after[name]
  const [expiresAt, reminderAt] = [instantOf(after.expiresAt), instantOf(after.reminderAt)]
  return {
    ...(isChanged('recipient') ? { recipient: after.recipient.trim() } : {}),
    ...(isChanged('locale') ? { locale: textOf(after.locale) } : {}),
    ...(isChanged('expiresAt') && expiresAt !== '' ? { expires_at: expiresAt } : {}),
    ...(isChanged('reminderAt') ? { reminder_at: reminderAt === '' ? null : reminderAt } : {}),
    ...(isChanged('returnUrl') ? { return_url: textOf(after.returnUrl) } : {}),
    ...(isChanged('templateId') ? { template_id: after.templateId === '' ? null : after.templateId } : {}),
    ...(Object.keys(details).length === 0 ? {} : { communication_details: details }),
  }
}

/** Null for an empty field. */
const textOf = (text: string): string | null => (text.trim() === '' ? null : text.trim())

const fields = [...messageFields, '/expires_at', '/reminder_at', '/return_url']

/** Changes an active invitation. Sends nothing to the payer. */
export function ChangeDialog({ code, onClose }: { code: Code; onClose: () => void }) {
  const [before] = useState(() => formOf(code))
  const [values, setValues] = useState(before)
  const templates = useTemplates(code.business_unit_id, code.communication_type)
  const denial = useDenial()('revealCode')
  const changes = changesOf(before, values)
  const update = useAction({
    call: (body: Changes) => api.updateCode({ code_id: code.id, body }),
    onSuccess: onClose,
    fields,
  })
  const change = (part: Partial<FormValues>) => setValues((earlier) => ({ ...earlier, ...part }))
  return (
    <Dialog title="Change the invitation" onClose={onClose}>
      <Form
        action={update}
        submit="Save"
        isReady={Object.keys(changes).length > 0}
        onSubmit={() => update.run(changes)}
        onCancel={onClose}
      >
        {isSame(formOf(code), before) ? null : <OtherChange />}
        <p className="muted">Sends nothing. The link stays the same: an earlier recipient can still use it.</p>
        <MessageFields
          message={values}
          templates={templates}
          failureOf={update.failureOf}
          onChange={change}
          fixedRecipient={denial && `Another recipient ${denial}: the link stays the same.`}
        />
        <TimeField
          label="The link expires"
          isRequired
          value={values.expiresAt}
          error={update.failureOf('/expires_at')}
          onChange={(expiresAt) => change({ expiresAt })}
        />
        <TimeField
          label="Reminder"
          value={values.reminderAt}
          error={update.failureOf('/reminder_at')}
          onChange={(reminderAt) => change({ reminderAt })}
        />
        <Field label="Page after the payment" error={update.failureOf('/return_url')}>
          {(control) => (
            <input
              {...control}
              type="url"
              maxLength={2_000}
              value={values.returnUrl}
              onChange={({ target }) => change({ returnUrl: target.value })}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}

interface TimeFieldProps {
  readonly label: string
  readonly isRequired?: boolean
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function TimeField({ label, isRequired = false, value, error, onChange }: TimeFieldProps) {
  return (
    <Field label={label} hint={isRequired ? 'In your time zone.' : 'In your time zone. Empty: none.'} error={error}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          required={isRequired}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
