import type { ApiKey } from '@payments/client/schemas'
import { useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { bindTo, useValues } from '../../layout/values.ts'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { toInstant, toLocalTime } from '../../text/local-time.ts'
import { TextAreaField, TextField } from '../../ui/fields.tsx'

const fields = ['/name', '/description', '/expires_at', '/allowed_cidrs']

/** Name, description, end and addresses of a key. */
export function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { notice, save } = useEdit(apiKey, (id) => api.readKey({ api_key_id: id }))
  const [openedEnd] = useState(apiKey.expires_at)
  const [values, change] = useValues({
    name: apiKey.name,
    description: apiKey.description,
    expiresAt: toLocalTime(apiKey.expires_at),
    cidrs: apiKey.allowed_cidrs?.join('\n') ?? '',
  })
  const update = useAction({
    call: () => {
      const { name, description, expiresAt, cidrs } = values
      const list = cidrs.split(/[\s,]+/).filter((cidr) => cidr !== '')
      // The field has no seconds, which the end of the key may have.
      const isSameEnd = expiresAt === toLocalTime(openedEnd)
      const expires_at = expiresAt === '' ? null : toInstant(expiresAt)
      const body = {
        name: name.trim(),
        description: description.trim(),
        expires_at: isSameEnd ? openedEnd : expires_at,
        allowed_cidrs: list.length === 0 ? null : list,
      }
      return save(body, (changes) => api.updateKey({ api_key_id: apiKey.id, body: changes }))
    },
    onSuccess: onClose,
    fields,
  })
  const bind = bindTo(values, change, update.fieldError)
  return (
    <FormDialog title="Edit the key" action={update} submit="Save" onClose={onClose}>
      {notice}
      <TextField label="Name" isRequired maxLength={100} {...bind('name')} />
      <TextAreaField label="Description" {...bind('description')} />
      <TextField label="Expires" hint="Empty: never." type="datetime-local" {...bind('expiresAt', '/expires_at')} />
      <TextAreaField
        label="Allowed addresses"
        hint="Networks such as 203.0.113.0/24, one a line. Empty: every address."
        {...bind('cidrs', '/allowed_cidrs')}
      />
    </FormDialog>
  )
}
