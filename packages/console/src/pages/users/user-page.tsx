import type { User } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { Actions, confirmAction, enableAction } from '../../layout/actions.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { assignRolesAction, RoleNames } from '../../parts/access/roles.tsx'
import { SessionList } from '../../parts/access/session-list.tsx'
import { Created, RequestsLink } from '../../parts/links.tsx'
import { UserState } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { usePermitted, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { CopyField, Details, Section, Time } from '../../ui/content.tsx'

const userName = ({ id, name, email }: User): string => foreign(name ?? email ?? id)

/** One person of the tenant. */
export function UserPage() {
  return (
    <ResourcePage
      noun="User"
      topic="users"
      operation="readUser"
      title={userName}
      actions={(user) => <UserActions user={user} />}
    >
      {(user) => <UserDetails user={user} />}
    </ResourcePage>
  )
}

function UserDetails({ user }: { user: User }) {
  const { actor } = useSelf()
  const maySeeSessions = usePermitted('removeUser') || actor.id === user.id
  return (
    <>
      <Details
        facts={{
          'Email address': foreign(user.email ?? 'none'),
          State: <UserState isEnabled={user.enabled} />,
          Roles: <RoleNames roleIds={user.role_ids} />,
          'Last sign-in': (
            <>
              <Time at={user.last_signed_in_at} /> <RequestsLink id={user.id} />
            </>
          ),
          Joined: <Created {...user} />,
          Id: <CopyField label="the id" value={user.id} />,
        }}
      />
      {maySeeSessions ? (
        <Section title="Sessions">
          <SessionList userId={user.id} />
        </Section>
      ) : null}
    </>
  )
}

function UserActions({ user }: { user: User }) {
  const { actor } = useSelf()
  const navigate = useNavigate()
  const address = { user_id: user.id }
  if (actor.id === user.id) return <small>You cannot change your own access.</small>
  return (
    <Actions
      actions={[
        assignRolesAction({
          operation: 'updateUser',
          label: 'Change roles',
          submit: 'Save',
          subject: 'of the user',
          roleIds: user.role_ids,
          read: () => api.readUser(address),
          assign: (role_ids) => api.updateUser({ ...address, body: { role_ids } }),
        }),
        enableAction({
          operation: 'updateUser',
          isEnabled: user.enabled,
          name: userName(user),
          effects,
          call: (body) => api.updateUser({ ...address, body }),
        }),
        confirmAction({
          operation: 'removeUser',
          label: 'Remove',
          kind: 'danger',
          title: `Remove ${userName(user)}?`,
          call: () => api.removeUser(address),
          onDone: () => void navigate({ to: '/users' }),
          effect: `The sessions of the user end, and the next request is rejected. ${
            user.created_by.startsWith('sign-in-provider:')
              ? 'The next sign-in brings the user back, as long as the sign-in provider names the tenant. Disable the user instead.'
              : 'To come back, the user needs an invitation.'
          }`,
        }),
      ]}
    />
  )
}

const effects = {
  disable: 'The sessions of the user end, and the next request is rejected. You can enable the user again.',
  enable: 'The user can sign in again.',
}
