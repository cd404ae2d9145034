import type { ApiKey } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { EnableDialog, type Enabling, enablingOf } from '../../layout/enable-dialog.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { Menu } from '../../ui/menu.tsx'
import { AssignRolesDialog } from './assign-roles-dialog.tsx'
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'

type Open = 'edit' | 'roles' | 'rotate' | Enabling | 'delete'

/** The actions of a key. Each action has a dialog. */
export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const [open, setOpen] = useState<Open>()
  const denial = useDenial()
  const close = () => setOpen(undefined)
  const enabling = enablingOf(apiKey)
  return (
    <>
      <ActionButton operation="assignRoles" onClick={() => setOpen('roles')}>
        Assign roles
      </ActionButton>
      <ActionButton operation="rotateKey" onClick={() => setOpen('rotate')}>
        Rotate
      </ActionButton>
      <Menu
        label="More actions"
        items={[
          { label: 'Edit', onSelect: () => setOpen('edit'), disabledBecause: denial('updateKey') },
          {
            label: enabling.label,
            onSelect: () => setOpen(enabling.action),
            disabledBecause: denial('updateKey'),
          },
          { label: 'Delete', isDanger: true, onSelect: () => setOpen('delete'), disabledBecause: denial('deleteKey') },
        ]}
      />
      {open === 'roles' ? <AssignRolesDialog apiKey={apiKey} onClose={close} /> : null}
      {open === 'rotate' ? <RotateKeyDialog apiKey={apiKey} onClose={close} /> : null}
      {open === 'edit' ? <EditKeyDialog apiKey={apiKey} onClose={close} /> : null}
      {open === 'enable' || open === 'disable' ? (
        <EnableDialog
          action={open}
          name={foreign(apiKey.name)}
          effectOf={effectOf}
          call={(body) => api.updateKey({ api_key_id: apiKey.id, body })}
          onClose={close}
        />
      ) : null}
      {open === 'delete' ? <DeleteKey apiKey={apiKey} onClose={close} /> : null}
    </>
  )
}

const effectOf = {
  disable: 'The next request with the key is rejected. You can enable the key again.',
  enable: 'The next request with the key is accepted again.',
}

interface DialogProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

function DeleteKey({ apiKey: { id, name }, onClose }: DialogProps) {
  const navigate = useNavigate()
  return (
    <Confirm
      title="Delete this key?"
      submit="Delete"
      typed={name}
      call={() => api.deleteKey({ api_key_id: id })}
      onDone={() => void navigate({ to: '/keys' })}
      onClose={onClose}
    >
      Programs that use the key lose access with their next request. A deleted key cannot be restored.
    </Confirm>
  )
}
