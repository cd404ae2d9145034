import type { ApiKey } from '@payments/client/schemas'
import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { listAfter } from '../../text/list-after.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { RoleChoice } from '../roles/role-choice.tsx'

/** Changes the roles of a key. */
export function AssignRolesDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [opened] = useState<readonly string[]>(apiKey.role_ids)
  const [chosen, setChosen] = useState(opened)
  const assign = useAction({
    call: async () => {
      const key = { api_key_id: apiKey.id }
      const { role_ids: current } = await api.readKey(key)
      return api.assignRoles({ ...key, body: { role_ids: listAfter({ opened, chosen, current }) } })
    },
    onSuccess: onClose,
    fields: ['/role_ids'],
  })
  return (
    <Dialog title="Assign roles" onClose={onClose}>
      <Form action={assign} submit="Assign roles" onSubmit={() => assign.run(undefined)} onCancel={onClose}>
        <RoleChoice legend="Roles" chosen={chosen} onChange={setChosen} error={assign.failureOf('/role_ids')} />
        <small>The change applies to the next request with the key.</small>
      </Form>
    </Dialog>
  )
}
