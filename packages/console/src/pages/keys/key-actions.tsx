import type { ApiKey } from '@payments/client/schemas'
import { Actions, useDeletion } from '../../layout/actions.tsx'
import { EnableDialog, enableLabel } from '../../layout/enable-dialog.tsx'
import { AssignRolesDialog } from '../../parts/access/assign-roles-dialog.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'

/** The actions of a key. */
export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const address = { api_key_id: apiKey.id }
  const deletion = useDeletion({
    operation: 'deleteKey',
    noun: 'key',
    name: apiKey.name,
    call: () => api.deleteKey(address),
    to: '/keys',
    effect: 'Programs that use the key lose access with their next request. A deleted key cannot be restored.',
  })
  return (
    <Actions
      actions={[
        {
          operation: 'assignRoles',
          label: 'Assign roles',
          dialog: (close) => (
            <AssignRolesDialog
              title="Assign roles"
              submit="Assign roles"
              subject="with the key"
              roleIds={apiKey.role_ids}
              read={() => api.readKey(address)}
              assign={(role_ids) => api.assignRoles({ ...address, body: { role_ids } })}
              onClose={close}
            />
          ),
        },
        {
          operation: 'rotateKey',
          label: 'Rotate',
          dialog: (close) => <RotateKeyDialog apiKey={apiKey} onClose={close} />,
        },
        {
          operation: 'updateKey',
          label: 'Edit',
          isInMenu: true,
          dialog: (close) => <EditKeyDialog apiKey={apiKey} onClose={close} />,
        },
        {
          operation: 'updateKey',
          label: enableLabel(apiKey.enabled),
          isInMenu: true,
          dialog: (close) => (
            <EnableDialog
              isEnabled={apiKey.enabled}
              name={foreign(apiKey.name)}
              effects={effects}
              call={(body) => api.updateKey({ ...address, body })}
              onClose={close}
            />
          ),
        },
        { ...deletion, isInMenu: true },
      ]}
    />
  )
}

const effects = {
  disable: 'The next request with the key is rejected. You can enable the key again.',
  enable: 'The next request with the key is accepted again.',
}
