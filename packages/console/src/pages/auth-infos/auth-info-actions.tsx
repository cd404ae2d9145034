import type { WebhookAuthInfo } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { counted } from '../../text/format.ts'
import { Menu } from '../../ui/menu.tsx'
import { AuthInfoDialog } from './auth-info-dialog.tsx'

/** The actions of an auth info. One that a subscription uses cannot be deleted. */
export function AuthInfoActions({ authInfo }: { authInfo: WebhookAuthInfo }) {
  const { id, name, subscription_count: users } = authInfo
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const navigate = useNavigate()
  const denialOf = useDenial()
  const close = () => setOpen(undefined)
  const inUse = users === 0 ? undefined : `is used by ${counted(users, 'subscription')}`
  return (
    <>
      <ActionButton operation="updateAuthInfo" onClick={() => setOpen('edit')}>
        Edit
      </ActionButton>
      <Menu
        label="More actions"
        items={[
          {
            label: 'Delete',
            isDanger: true,
            onSelect: () => setOpen('delete'),
            disabledBecause: denialOf('deleteAuthInfo') ?? inUse,
          },
        ]}
      />
      {open === 'edit' ? <AuthInfoDialog authInfo={authInfo} onClose={close} /> : null}
      {open === 'delete' ? (
        <Confirm
          title="Delete this auth info?"
          submit="Delete"
          typed={name}
          call={() => api.deleteAuthInfo({ webhook_auth_info_id: id })}
          onDone={() => void navigate({ to: '/auth-infos' })}
          onClose={close}
        >
          A deleted auth info cannot be restored.
        </Confirm>
      ) : null}
    </>
  )
}
