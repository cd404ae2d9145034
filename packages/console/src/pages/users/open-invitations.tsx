import type { UserInvitation } from '@payments/client/schemas'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { List } from '../../layout/list.tsx'
import { RoleNames } from '../../parts/access/role-choice.tsx'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'

/** The invitations that no person has accepted yet. */
export function OpenInvitations() {
  const [sent, setSent] = useState<string | null>()
  const resend = useAction({
    call: (_attempt, id: string) => api.resendUserInvitation({ user_invitation_id: id }),
    onSuccess: ({ email }) => setSent(email),
  })
  const [canceling, setCanceling] = useState<UserInvitation>()
  const columns: readonly Column<UserInvitation>[] = [
    { name: 'Email address', cell: ({ email }) => foreign(email ?? '') },
    { name: 'Roles', cell: ({ role_ids }) => <RoleNames roleIds={role_ids} /> },
    { name: 'Expires', width: '8rem', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      name: '',
      width: '13rem',
      cell: (invitation) => (
        <span className="row">
          <ActionButton
            operation="resendUserInvitation"
            label={`Resend to ${inviteeName(invitation)}`}
            onClick={() => resend.run(invitation.id)}
          >
            Resend
          </ActionButton>
          <ActionButton
            operation="cancelUserInvitation"
            label={`Cancel the invitation of ${inviteeName(invitation)}`}
            onClick={() => setCanceling(invitation)}
          >
            Cancel
          </ActionButton>
        </span>
      ),
    },
  ]
  return (
    <Section title="Open invitations">
      {resend.failure === undefined ? null : <Notice tone="bad">{resend.failure}</Notice>}
      {sent === undefined || resend.failure !== undefined ? null : (
        <Notice tone="good">The invitation was sent to {foreign(sent ?? '')} again.</Notice>
      )}
      <List
        label="Open invitations"
        operation="listUserInvitations"
        topic="user-invitations"
        args={{ status: 'open' }}
        columns={columns}
        empty={<p className="muted">No invitation is open.</p>}
      />
      {canceling === undefined ? null : (
        <Confirm
          title={`Cancel the invitation of ${inviteeName(canceling)}?`}
          submit="Cancel the invitation"
          dismiss="Keep it"
          call={() => api.cancelUserInvitation({ user_invitation_id: canceling.id })}
          onClose={() => setCanceling(undefined)}
        >
          The link in the mail no longer works. You can invite the person again.
        </Confirm>
      )}
    </Section>
  )
}

const inviteeName = ({ id, email }: UserInvitation): string => foreign(email ?? id)
