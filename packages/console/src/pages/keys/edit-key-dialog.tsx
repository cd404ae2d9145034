import type { ApiKey } from '@payments/client/schemas'
import { useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { instantOf, localOf } from '../../text/local-time.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'

const fields = ['/name', '/description', '/expires_at', '/allowed_cidrs']

/** Name, description, end and addresses of a key. */
export function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { notice, save } = useEdit(apiKey, (id) => api.readKey({ api_key_id: id }))
  const [openedEnd] = useState(apiKey.expires_at)
  const [name, setName] = useState(apiKey.name)
  const [description, setDescription] = useState(apiKey.description)
  const [expiresAt, setExpiresAt] = useState(localOf(apiKey.expires_at))
  const [cidrs, setCidrs] = useState(apiKey.allowed_cidrs?.join('\n') ?? '')
  const update = useAction({
    call: () => {
      const list = cidrs.split(/[\s,]+/).filter((cidr) => cidr !== '')
      // The field has no seconds, which the end of the key may have.
      const isSameEnd = expiresAt === localOf(openedEnd)
      const expires_at = expiresAt === '' ? null : instantOf(expiresAt)
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
  return (
    <Dialog title="Edit the key" onClose={onClose}>
      <Form action={update} submit="Save" onSubmit={() => update.run(undefined)} onCancel={onClose}>
        {notice}
        <Field label="Name" error={update.failureOf('/name')}>
          {(control) => (
            <input
              {...control}
              required
              maxLength={100}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label="Description" error={update.failureOf('/description')}>
          {(control) => (
            <textarea {...control} value={description} onChange={({ target }) => setDescription(target.value)} />
          )}
        </Field>
        <Field label="Expires" hint="Empty: never." error={update.failureOf('/expires_at')}>
          {(control) => (
            <input
              {...control}
              type="datetime-local"
              value={expiresAt}
              onChange={({ target }) => setExpiresAt(target.value)}
            />
          )}
        </Field>
        <Field
          label="Allowed addresses"
          hint="Networks such as 203.0.113.0/24, one a line. Empty: every address."
          error={update.failureOf('/allowed_cidrs')}
        >
          {(control) => <textarea {...control} value={cidrs} onChange={({ target }) => setCidrs(target.value)} />}
        </Field>
      </Form>
    </Dialog>
  )
}
