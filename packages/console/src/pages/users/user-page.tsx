import type { User } from '@payments/client/schemas'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Actions } from '../../layout/actions.tsx'
import { Confirm } from '../../layout/confirm.tsx'
import { EnableDialog, enableLabel } from '../../layout/enable-dialog.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { AssignRolesDialog } from '../../parts/access/assign-roles-dialog.tsx'
import { RoleNames } from '../../parts/access/role-choice.tsx'
import { SessionList } from '../../parts/access/session-list.tsx'
import { Creator, RequestsLink } from '../../parts/actor.tsx'
import { UserState } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { usePermitted, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Details } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'

const userName = ({ id, name, email }: User): string => foreign(name ?? email ?? id)

/** One person of the tenant. */
export function UserPage() {
  const { userId = '' } = useParams({ strict: false })
  return (
    <ResourcePage
      noun="User"
      topic="users"
      operation="readUser"
      args={{ user_id: userId }}
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
          Joined: (
            <>
              <Time at={user.created_at} /> by <Creator by={user.created_by} />
            </>
          ),
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
        {
          operation: 'updateUser',
          label: 'Change roles',
          dialog: (close) => (
            <AssignRolesDialog
              title="Change roles"
              submit="Save"
              subject="of the user"
              roleIds={user.role_ids}
              read={() => api.readUser(address)}
              assign={(role_ids) => api.updateUser({ ...address, body: { role_ids } })}
              onClose={close}
            />
          ),
        },
        {
          operation: 'updateUser',
          label: enableLabel(user.enabled),
          dialog: (close) => (
            <EnableDialog
              isEnabled={user.enabled}
              name={userName(user)}
              effects={effects}
              call={(body) => api.updateUser({ ...address, body })}
              onClose={close}
            />
          ),
        },
        {
          operation: 'removeUser',
          label: 'Remove',
          kind: 'danger',
          dialog: (close) => (
            <Confirm
              title={`Remove ${userName(user)}?`}
              submit="Remove"
              call={() => api.removeUser(address)}
              onDone={() => void navigate({ to: '/users' })}
              onClose={close}
            >
              The sessions of the user end, and the next request is rejected.{' '}
              {user.created_by.startsWith('sign-in-provider:')
                ? 'The next sign-in brings the user back, as long as the sign-in provider names the tenant. Disable the user instead.'
                : 'To come back, the user needs an invitation.'}
            </Confirm>
          ),
        },
      ]}
    />
  )
}

const effects = {
  disable: 'The sessions of the user end, and the next request is rejected. You can enable the user again.',
  enable: 'The user can sign in again.',
}
