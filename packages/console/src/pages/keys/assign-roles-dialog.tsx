import type { ApiKey } from '@payments/client/schemas'
import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { RoleChoice } from '../roles/role-choice.tsx'

/** Replaces the roles of a key. */
export function AssignRolesDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [roleIds, setRoleIds] = useState<readonly string[]>(apiKey.role_ids)
  const assign = useAction({
    call: () => api.assignRoles({ api_key_id: apiKey.id, body: { role_ids: [...roleIds] } }),
    onSuccess: onClose,
    fields: ['/role_ids'],
  })
  return (
    <Dialog title="Assign roles" onClose={onClose}>
      <Form action={assign} submit="Assign roles" onSubmit={() => assign.run(undefined)} onCancel={onClose}>
        <RoleChoice legend="Roles" chosen={roleIds} onChange={setRoleIds} error={assign.failureOf('/role_ids')} />
        <small>The change applies to the next request with the key.</small>
      </Form>
    </Dialog>
  )
}
