import type { ApiKey } from '@payments/client/schemas'
import { useState } from 'react'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { RoleChoice } from '../../parts/access/roles.tsx'
import { KeyLink } from '../../parts/links.tsx'
import { type Action, useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { usePermitted, useSelf } from '../../session/self.ts'
import { CopyField, Notice, Secret } from '../../ui/content.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { optionsAfter, SelectField, TextField } from '../../ui/fields.tsx'

/**
 * Creates a key, then assigns its roles. If the second call fails, the key exists without permissions, and the dialog
 * offers to assign the roles again.
 */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const mayAssign = usePermitted('assignRoles')
  const [roleIds, setRoleIds] = useState<readonly string[]>([])
  const [created, setCreated] = useState<ApiKey>()
  const assign = useAction({
    call: (_attempt, keyId: string) => api.assignRoles({ api_key_id: keyId, body: { role_ids: [...roleIds] } }),
    fields: ['/role_ids'],
  })
  const { bind, action: create } = useForm({
    /** `expires_at`: days from now. */
    initial: { name: '', expires_at: '' },
    call: ({ name, expires_at: days }, { idempotencyKey, startedAt }) => {
      const expiresAtMs = startedAt.getTime() + Number(days) * 86_400_000
      const expires_at = days === '' ? null : new Date(expiresAtMs).toISOString()
      return api.createKey({ body: { name: name.trim(), expires_at } }, { idempotencyKey })
    },
    onSuccess: (key) => {
      setCreated(key)
      if (roleIds.length > 0) assign.run(key.id)
    },
  })
  if (created !== undefined)
    return <Created apiKey={created} roleCount={roleIds.length} assign={assign} onClose={onClose} />
  return (
    <FormDialog title="Create an API key" onClose={onClose} action={create} submit="Create API key">
      <TextField
        label="Name"
        hint="What uses the key, such as “shop backend”."
        isRequired
        maxLength={100}
        {...bind('name')}
      />
      <SelectField label="Expires" options={lifetimes} {...bind('expires_at')} />
      {mayAssign ? (
        <RoleChoice chosen={roleIds} onChange={setRoleIds} />
      ) : (
        <Notice tone="warning">You may not assign roles, so the key will have no permissions.</Notice>
      )}
    </FormDialog>
  )
}

const lifetimes = optionsAfter('Never', { '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' })

interface CreatedProps {
  readonly apiKey: ApiKey
  readonly roleCount: number
  readonly assign: Action<string>
  readonly onClose: () => void
}

function Created({ apiKey, roleCount, assign, onClose }: CreatedProps) {
  const failure = assign.failure ?? assign.fieldError('/role_ids')
  const { tenant } = useSelf()
  const [isShown, setShown] = useState(true)
  const [traceId] = useState(() => crypto.randomUUID())
  const command = [
    `curl -sS ${location.origin}/v1/api-key/keys/self`,
    `-H 'Authorization: Bearer ${apiKey.value}'`,
    `-H 'Tenant-ID: ${tenant.id}'`,
    `-H 'Trace-ID: ${traceId}'`,
  ].join(' \\\n  ')
  return (
    <Dialog title="Your new API key" onClose={onClose}>
      {failure === undefined ? null : (
        <Notice tone="bad" title="The key was created, but has no roles.">
          <p>{failure}</p>
          <button type="button" disabled={assign.isRunning} onClick={() => assign.run(apiKey.id)}>
            Assign the roles again
          </button>
        </Notice>
      )}
      {roleCount === 0 ? (
        <Notice tone="warning">The key has no roles, so it reads itself and nothing else.</Notice>
      ) : null}
      {isShown ? (
        <>
          <p>Store the value now. To see it again, you need the permission to reveal keys.</p>
          <Secret label="the value of the key" value={apiKey.value} onHide={() => setShown(false)} />
          <p className="muted">A first request, which reads the key itself:</p>
          <CopyField label="the command" value={command} />
        </>
      ) : (
        <p>
          The value is hidden.{' '}
          <KeyLink id={apiKey.id} onClick={onClose}>
            Reveal it on the page of the key
          </KeyLink>{' '}
          if you did not store it.
        </p>
      )}
      <div>
        <button type="button" data-kind="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
