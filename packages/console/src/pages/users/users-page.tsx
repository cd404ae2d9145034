import type { User, UserInvitation } from '@payments/client/schemas'
import { useState } from 'react'
import { ActionButton, Confirm, offerDialog } from '../../layout/actions.tsx'
import { List, ListPage } from '../../layout/list.tsx'
import { RoleNames } from '../../parts/access/roles.tsx'
import { UserLink } from '../../parts/links.tsx'
import { UserState } from '../../parts/states.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/format.ts'
import { Notice, Section, Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { InviteDialog } from './invite-dialog.tsx'

/** The people of the tenant, and the invitations that are open. */
export function UsersPage() {
  return (
    <ListPage
      title="Users"
      about="People who sign in to this tenant."
      operation="listUsers"
      topic="users"
      fields={[{ name: 'search', label: 'Name or email address' }]}
      columns={columns}
      empty="There are no users."
      noMatch="No user matches."
      action={offerDialog('createUserInvitation', 'Invite user', (close) => <InviteDialog onClose={close} />, {
        kind: 'primary',
      })}
      below={<OpenInvitations />}
    />
  )
}

const columns: readonly Column<User>[] = [
  { name: 'Email address', cell: ({ id, email }) => <UserLink id={id}>{foreign(email ?? id)}</UserLink> },
  { name: 'Name', cell: ({ name }) => foreign(name ?? '') },
  { name: 'Roles', cell: ({ role_ids }) => <RoleNames roleIds={role_ids} /> },
  { name: 'State', width: '6rem', cell: ({ enabled }) => <UserState isEnabled={enabled} /> },
  { name: 'Last sign-in', width: '9rem', cell: ({ last_signed_in_at }) => <Time at={last_signed_in_at} /> },
]

/** The invitations that no person has accepted yet. */
function OpenInvitations() {
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
          effect="The link in the mail no longer works. You can invite the person again."
          onClose={() => setCanceling(undefined)}
        />
      )}
    </Section>
  )
}

const inviteeName = ({ id, email }: UserInvitation): string => foreign(email ?? id)
