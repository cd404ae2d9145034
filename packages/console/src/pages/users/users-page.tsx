import type { User } from '@payments/client/schemas'
import { ListPage } from '../../layout/list-page.tsx'
import { RoleNames } from '../../parts/access/role-choice.tsx'
import { UserLink } from '../../parts/links.tsx'
import { UserState } from '../../parts/states.tsx'
import { foreign } from '../../text/format.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { OpenInvitations } from './open-invitations.tsx'

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
      action={{
        operation: 'createUserInvitation',
        label: 'Invite user',
        kind: 'primary',
        dialog: (close) => <InviteDialog onClose={close} />,
      }}
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
