import type { Code } from '@payments/client/schemas'
import { useState } from 'react'
import { OtherChange } from '../../layout/edit.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { useTemplates } from '../../parts/messages/templates.ts'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { textOrNull } from '../../text/format.ts'
import { toInstant, toLocalTime } from '../../text/local-time.ts'
import { buildMergePatch, isSame } from '../../text/merge-patch.ts'
import { TextField } from '../../ui/fields.tsx'
import { buildDetails } from './draft.ts'
import { MessageFields, messageFields } from './message-fields.tsx'

type Changes = Parameters<typeof api.updateCode>[0]['body']

const toFormValues = (code: Code) => ({
  channel: code.communication_type,
  recipient: code.recipient,
  locale: code.locale ?? '',
  payerName: code.communication_details.payer_name ?? '',
  description: code.communication_details.description ?? '',
  templateId: code.template_id ?? '',
  variables: code.communication_details.variables ?? {},
  expiresAt: toLocalTime(code.expires_at),
  reminderAt: toLocalTime(code.reminder_at),
  returnUrl: code.return_url ?? '',
})

type FormValues = ReturnType<typeof toFormValues>

/** The fields that differ from those with which the dialog was opened. */
function selectChanges(before: FormValues, after: FormValues): Changes {
  // The API merges the details: null removes one.
  const details = buildMergePatch(buildDetails(before), buildDetails(after))
  const isChanged = (name: keyof FormValues) => before[name] !== after[name]
  const [expiresAt, reminderAt] = [toInstant(after.expiresAt), toInstant(after.reminderAt)]
  return {
    ...(isChanged('recipient') ? { recipient: after.recipient.trim() } : {}),
    ...(isChanged('locale') ? { locale: textOrNull(after.locale) } : {}),
    ...(isChanged('expiresAt') && expiresAt !== '' ? { expires_at: expiresAt } : {}),
    ...(isChanged('reminderAt') ? { reminder_at: textOrNull(reminderAt) } : {}),
    ...(isChanged('returnUrl') ? { return_url: textOrNull(after.returnUrl) } : {}),
    ...(isChanged('templateId') ? { template_id: textOrNull(after.templateId) } : {}),
    ...(Object.keys(details).length === 0 ? {} : { communication_details: details }),
  }
}

const fields = [...messageFields, '/expires_at', '/reminder_at', '/return_url']

/** Changes an active invitation. Sends nothing to the payer. */
export function ChangeDialog({ code, onClose }: { code: Code; onClose: () => void }) {
  const [before] = useState(() => toFormValues(code))
  const { values, change, bind, action } = useForm({
    initial: before,
    fields,
    call: (filled) => api.updateCode({ code_id: code.id, body: selectChanges(before, filled) }),
    onSuccess: onClose,
  })
  const templates = useTemplates(code.business_unit_id, code.communication_type)
  const denial = useDenial()('revealCode')
  return (
    <FormDialog
      title="Change the invitation"
      onClose={onClose}
      action={action}
      submit="Save"
      isReady={Object.keys(selectChanges(before, values)).length > 0}
    >
      {isSame(toFormValues(code), before) ? null : <OtherChange />}
      <p className="muted">Sends nothing. The link stays the same: an earlier recipient can still use it.</p>
      <MessageFields
        message={values}
        templates={templates}
        fieldError={action.fieldError}
        onChange={change}
        fixedRecipient={denial && `Another recipient ${denial}: the link stays the same.`}
      />
      <TextField
        label="The link expires"
        hint="In your time zone."
        type="datetime-local"
        isRequired
        {...bind('expiresAt', '/expires_at')}
      />
      <TextField
        label="Reminder"
        hint="In your time zone. Empty: none."
        type="datetime-local"
        {...bind('reminderAt', '/reminder_at')}
      />
      <TextField label="Page after the payment" type="url" {...bind('returnUrl', '/return_url')} />
    </FormDialog>
  )
}
