import type { User, UserInvitation } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { SearchForm } from '../../layout/search-form.tsx'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { RoleNames } from '../roles/role-choice.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { UserState } from './user-state.tsx'

/** The people of the tenant, and the invitations that are open. */
export function UsersPage() {
  const { search = '' }: { search?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [isInviting, setInviting] = useState(false)
  return (
    <Page
      title="Users"
      about="People who sign in to this tenant."
      operation="listUsers"
      args={search === '' ? {} : { search }}
      actions={
        <ActionButton operation="createUserInvitation" kind="primary" onClick={() => setInviting(true)}>
          Invite user
        </ActionButton>
      }
    >
      {() => (
        <>
          <SearchForm
            fields={[{ name: 'search', label: 'Name or email address' }]}
            filters={search === '' ? {} : { search }}
            onChange={(filters) => void navigate({ to: '/users', search: filters, replace: true })}
          />
          <List
            label="Users"
            query={usersQuery(search)}
            columns={columns}
            idOf={({ id }) => id}
            empty={<Empty title={search === '' ? 'There are no users.' : 'No user matches.'} />}
          />
          <OpenInvitations />
          {isInviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
        </>
      )}
    </Page>
  )
}

const usersQuery = (search: string) =>
  listQuery<User>({
    key: ['users', 'list', search],
    read: (cursor, signal) => {
      const page = { limit: 50, ...(cursor === undefined ? {} : { cursor }) }
      return api.listUsers({ ...page, ...(search === '' ? {} : { search }) }, { signal }).page()
    },
  })

const columns: readonly Column<User>[] = [
  {
    name: 'Email address',
    cell: ({ id, email }) => (
      <Link to="/users/$userId" params={{ userId: id }}>
        {foreign(email ?? id)}
      </Link>
    ),
  },
  { name: 'Name', cell: ({ name }) => foreign(name ?? '') },
  { name: 'Roles', cell: ({ role_ids }) => <RoleNames roleIds={role_ids} /> },
  { name: 'State', width: '6rem', cell: ({ enabled }) => <UserState isEnabled={enabled} /> },
  { name: 'Last sign-in', width: '9rem', cell: ({ last_signed_in_at }) => <Time at={last_signed_in_at} /> },
]

const invitationsQuery = listQuery<UserInvitation>({
  key: ['user-invitations', 'open'],
  read: (cursor, signal) =>
    api
      .listUserInvitations({ status: 'open', limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
      .page(),
})

function OpenInvitations() {
  const [sent, setSent] = useState<string | null>()
  const resend = useAction({
    call: (id: string) => api.resendUserInvitation({ user_invitation_id: id }),
    onSuccess: ({ email }) => setSent(email),
  })
  const [canceling, setCanceling] = useState<UserInvitation>()
  const columnsOfInvitations: readonly Column<UserInvitation>[] = [
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
            label={`Resend to ${inviteeOf(invitation)}`}
            onClick={() => resend.run(invitation.id)}
          >
            Resend
          </ActionButton>
          <ActionButton
            operation="cancelUserInvitation"
            label={`Cancel the invitation of ${inviteeOf(invitation)}`}
            onClick={() => setCanceling(invitation)}
          >
            Cancel
          </ActionButton>
        </span>
      ),
    },
  ]
  return (
    <section className="stack" aria-labelledby="open-invitations">
      <h2 id="open-invitations">Open invitations</h2>
      {resend.failure === undefined ? null : <Notice tone="bad">{resend.failure}</Notice>}
      {sent === undefined || resend.failure !== undefined ? null : (
        <Notice tone="good">The invitation was sent to {foreign(sent ?? '')} again.</Notice>
      )}
      <List
        label="Open invitations"
        query={invitationsQuery}
        columns={columnsOfInvitations}
        idOf={({ id }) => id}
        empty={<p className="muted">No invitation is open.</p>}
      />
      {canceling === undefined ? null : (
        <Confirm
          title={`Cancel the invitation of ${inviteeOf(canceling)}?`}
          submit="Cancel the invitation"
          dismiss="Keep it"
          call={() => api.cancelUserInvitation({ user_invitation_id: canceling.id })}
          onClose={() => setCanceling(undefined)}
        >
          The link in the mail no longer works. You can invite the person again.
        </Confirm>
      )}
    </section>
  )
}

const inviteeOf = ({ id, email }: UserInvitation): string => foreign(email ?? id)
