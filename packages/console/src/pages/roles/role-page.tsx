import type { Role } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { List, listQuery } from '../../layout/list.tsx'
import { Loaded } from '../../layout/loaded.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useDenial, usePermitted, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { counted } from '../../text/format.ts'
import { PermissionMatrix } from './permission-matrix.tsx'
import { useOperationsOfPermissions } from './permission-operations.ts'
import { RoleDialog } from './role-dialog.tsx'

/** One role: its permissions, and who has it. */
export function RolePage() {
  const roleId = String(useParams({ strict: false }).roleId)
  const query = useQuery({
    queryKey: ['roles', roleId],
    queryFn: ({ signal }) => api.readRole({ role_id: roleId }, { signal }),
    enabled: usePermitted('readRole'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Role' : foreign(data.name)}
      operation="readRole"
      args={{ role_id: roleId }}
      actions={data === undefined ? null : <RoleActions role={data} />}
    >
      {() => <Loaded query={query}>{(data) => <Details role={data} />}</Loaded>}
    </Page>
  )
}

function Details({ role }: { role: Role }) {
  const denial = useDenial()
  const operations = useOperationsOfPermissions()
  return (
    <>
      {role.description === '' ? null : <p>{foreign(role.description)}</p>}
      {role.kind === 'custom' ? null : <p className="muted">A built-in role cannot be changed. A copy can.</p>}
      <section className="stack" aria-labelledby="permissions">
        <h2 id="permissions">Permissions</h2>
        <PermissionMatrix
          granted={new Map(role.permissions.map((permission) => [permission, '']))}
          operations={operations}
        />
      </section>
      {denial('listKeys') === undefined ? <KeysOfRole roleId={role.id} /> : null}
      {denial('listUsers') === undefined ? <UsersOfRole roleId={role.id} /> : null}
    </>
  )
}

function KeysOfRole({ roleId }: { roleId: string }) {
  return (
    <section className="stack" aria-labelledby="keys-of-role">
      <h2 id="keys-of-role">API keys with this role</h2>
      <List
        label="API keys with this role"
        query={listQuery({
          key: ['keys', 'of-role', roleId],
          read: (cursor, signal) =>
            api
              .listKeys({ role_id: roleId, limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
              .page(),
        })}
        columns={[
          {
            name: 'Name',
            cell: ({ id, name }) => (
              <Link to="/keys/$keyId" params={{ keyId: id }}>
                {foreign(name)}
              </Link>
            ),
          },
          { name: 'Value', cell: ({ value }) => <code>{foreign(value)}</code> },
        ]}
        idOf={({ id }) => id}
        empty={<Empty title="No API key has this role." />}
      />
    </section>
  )
}

function UsersOfRole({ roleId }: { roleId: string }) {
  return (
    <section className="stack" aria-labelledby="users-of-role">
      <h2 id="users-of-role">Users with this role</h2>
      <List
        label="Users with this role"
        query={listQuery({
          key: ['users', 'of-role', roleId],
          read: (cursor, signal) =>
            api
              .listUsers({ role_id: roleId, limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
              .page(),
        })}
        columns={[
          {
            name: 'Email address',
            cell: ({ id, email }) => (
              <Link to="/users/$userId" params={{ userId: id }}>
                {foreign(email ?? id)}
              </Link>
            ),
          },
          { name: 'Name', cell: ({ name }) => foreign(name ?? '') },
        ]}
        idOf={({ id }) => id}
        empty={<Empty title="No user has this role." />}
      />
    </section>
  )
}

function RoleActions({ role }: { role: Role }) {
  const [open, setOpen] = useState<'edit' | 'copy' | 'delete'>()
  const navigate = useNavigate()
  const close = () => setOpen(undefined)
  const denial = useDenialOfRole(role)
  return (
    <>
      <ActionButton operation="createRole" onClick={() => setOpen('copy')}>
        Copy
      </ActionButton>
      {role.kind === 'custom' ? (
        <>
          <ActionButton operation="updateRole" denial={denial} onClick={() => setOpen('edit')}>
            Edit
          </ActionButton>
          <ActionButton operation="deleteRole" kind="danger" denial={denial} onClick={() => setOpen('delete')}>
            Delete
          </ActionButton>
        </>
      ) : null}
      {open === 'edit' || open === 'copy' ? <RoleDialog role={role} isCopy={open === 'copy'} onClose={close} /> : null}
      {open === 'delete' ? (
        <Confirm
          title="Delete this role?"
          submit="Delete"
          typed={role.name}
          call={() => api.deleteRole({ role_id: role.id })}
          onDone={() => void navigate({ to: '/roles' })}
          onClose={close}
        >
          A deleted role cannot be restored. While API keys or users have the role, it cannot be deleted.
        </Confirm>
      ) : null}
    </>
  )
}

/** A person edits and deletes a role only with all permissions of the role. */
function useDenialOfRole({ permissions }: Role): string | undefined {
  const { permissions: own } = useSelf()
  const lacking = permissions.filter((permission) => !own.includes(permission))
  if (lacking.length === 0) return undefined
  return `needs ${counted(lacking.length, 'permission')} of the role that you do not have`
}
