import type { User } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { EnableDialog, type Enabling, enablingOf } from '../../layout/enable-dialog.tsx'
import { Form } from '../../layout/form.tsx'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useDenial, usePermitted, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { listAfter } from '../../text/list-after.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { SessionList } from '../account/session-list.tsx'
import { RoleChoice, RoleNames } from '../roles/role-choice.tsx'
import { Creator, RequestsOf } from './actor.tsx'
import { UserState } from './user-state.tsx'

/** One person of the tenant. */
export function UserPage() {
  const userId = String(useParams({ strict: false }).userId)
  const query = useQuery({
    queryKey: ['users', userId],
    queryFn: ({ signal }) => api.readUser({ user_id: userId }, { signal }),
    enabled: usePermitted('readUser'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'User' : foreign(data.name ?? data.email ?? data.id)}
      operation="readUser"
      args={{ user_id: userId }}
      actions={data === undefined ? null : <UserActions user={data} />}
    >
      {() => <Loaded query={query}>{(data) => <Details user={data} />}</Loaded>}
    </Page>
  )
}

function Details({ user }: { user: User }) {
  const { actor } = useSelf()
  const maySeeSessions = useDenial()('removeUser') === undefined || actor.id === user.id
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>Email address</dt>
          <dd>{foreign(user.email ?? 'none')}</dd>
          <dt>State</dt>
          <dd>
            <UserState isEnabled={user.enabled} />
          </dd>
          <dt>Roles</dt>
          <dd>
            <RoleNames roleIds={user.role_ids} />
          </dd>
          <dt>Last sign-in</dt>
          <dd>
            <Time at={user.last_signed_in_at} /> <RequestsOf id={user.id} />
          </dd>
          <dt>Joined</dt>
          <dd>
            <Time at={user.created_at} /> by <Creator by={user.created_by} />
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyField label="the id" value={user.id} />
          </dd>
        </dl>
      </section>
      {maySeeSessions ? (
        <section className="stack" aria-labelledby="sessions">
          <h2 id="sessions">Sessions</h2>
          <SessionList userId={user.id} />
        </section>
      ) : null}
    </>
  )
}

function UserActions({ user }: { user: User }) {
  const { actor } = useSelf()
  const [open, setOpen] = useState<'roles' | Enabling | 'remove'>()
  const navigate = useNavigate()
  const close = () => setOpen(undefined)
  const enabling = enablingOf(user)
  const name = foreign(user.name ?? user.email ?? user.id)
  if (actor.id === user.id) return <small>You cannot change your own access.</small>
  return (
    <>
      <ActionButton operation="updateUser" onClick={() => setOpen('roles')}>
        Change roles
      </ActionButton>
      <ActionButton operation="updateUser" onClick={() => setOpen(enabling.action)}>
        {enabling.label}
      </ActionButton>
      <ActionButton operation="removeUser" kind="danger" onClick={() => setOpen('remove')}>
        Remove
      </ActionButton>
      {open === 'roles' ? <RolesDialog user={user} onClose={close} /> : null}
      {open === 'enable' || open === 'disable' ? (
        <EnableDialog
          action={open}
          name={name}
          effectOf={effectOf}
          call={(body) => api.updateUser({ user_id: user.id, body })}
          onClose={close}
        />
      ) : null}
      {open === 'remove' ? (
        <Confirm
          title={`Remove ${name}?`}
          submit="Remove"
          call={() => api.removeUser({ user_id: user.id })}
          onDone={() => void navigate({ to: '/users' })}
          onClose={close}
        >
          The sessions of the user end, and the next request is rejected.{' '}
          {user.created_by.startsWith('sign-in-provider:')
            ? 'The next sign-in brings the user back, as long as the sign-in provider names the tenant. Disable the user instead.'
            : 'To come back, the user needs an invitation.'}
        </Confirm>
      ) : null}
    </>
  )
}

const effectOf = {
  disable: 'The sessions of the user end, and the next request is rejected. You can enable the user again.',
  enable: 'The user can sign in again.',
}

function RolesDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [opened] = useState<readonly string[]>(user.role_ids)
  const [chosen, setChosen] = useState(opened)
  const update = useAction({
    call: async () => {
      const { role_ids: current } = await api.readUser({ user_id: user.id })
      return api.updateUser({ user_id: user.id, body: { role_ids: listAfter({ opened, chosen, current }) } })
    },
    onSuccess: onClose,
    fields: ['/role_ids'],
  })
  return (
    <Dialog title="Change roles" onClose={onClose}>
      <Form action={update} submit="Save" onSubmit={() => update.run(undefined)} onCancel={onClose}>
        <RoleChoice legend="Roles" chosen={chosen} onChange={setChosen} error={update.failureOf('/role_ids')} />
        <small>The change applies to the next request of the user.</small>
      </Form>
    </Dialog>
  )
}
