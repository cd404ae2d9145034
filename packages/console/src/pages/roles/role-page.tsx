import type { ApiKey, Role, User } from '@payments/client/schemas'
import { Actions, offerDialog, useDeletion } from '../../layout/actions.tsx'
import { ListSection } from '../../layout/list.tsx'
import { Empty } from '../../layout/page.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { PermissionMatrix } from '../../parts/access/permission-matrix.tsx'
import { KeyLink, UserLink } from '../../parts/links.tsx'
import { api } from '../../session/api.ts'
import { useItemsQuery } from '../../session/reads.ts'
import { usePermitted, useSelf } from '../../session/self.ts'
import { foreign, formatQuantity } from '../../text/format.ts'
import { Section } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { RoleDialog } from './role-dialog.tsx'

/** One role: its permissions, and who has it. */
export function RolePage() {
  const maySeeKeys = usePermitted('listKeys')
  const maySeeUsers = usePermitted('listUsers')
  return (
    <ResourcePage
      noun="Role"
      topic="roles"
      operation="readRole"
      title={({ name }) => foreign(name)}
      actions={(role) => <RoleActions role={role} />}
    >
      {(role) => (
        <>
          {role.description === '' ? null : <p>{foreign(role.description)}</p>}
          {role.kind === 'custom' ? null : <p className="muted">A built-in role cannot be changed. A copy can.</p>}
          <Permissions role={role} />
          {maySeeKeys ? (
            <ListSection
              title="API keys with this role"
              operation="listKeys"
              topic="keys"
              args={{ role_id: role.id }}
              columns={keyColumns}
              empty={<Empty title="No API key has this role." />}
            />
          ) : null}
          {maySeeUsers ? (
            <ListSection
              title="Users with this role"
              operation="listUsers"
              topic="users"
              args={{ role_id: role.id }}
              columns={userColumns}
              empty={<Empty title="No user has this role." />}
            />
          ) : null}
        </>
      )}
    </ResourcePage>
  )
}

const keyColumns: readonly Column<ApiKey>[] = [
  { name: 'Name', cell: ({ id, name }) => <KeyLink id={id}>{foreign(name)}</KeyLink> },
  { name: 'Value', cell: ({ value }) => <code>{foreign(value)}</code> },
]

const userColumns: readonly Column<User>[] = [
  { name: 'Email address', cell: ({ id, email }) => <UserLink id={id}>{foreign(email ?? id)}</UserLink> },
  { name: 'Name', cell: ({ name }) => foreign(name ?? '') },
]

/** With the operations that each permission opens, for a person who may read the catalogue of permissions. */
function Permissions({ role: { permissions } }: { role: Role }) {
  const { data: known } = useItemsQuery('listPermissions', 'permissions')
  return (
    <Section title="Permissions">
      <PermissionMatrix
        granted={new Map(permissions.map((permission) => [permission, '']))}
        operations={known && new Map(known.map(({ name, operations }) => [name, operations]))}
      />
    </Section>
  )
}

function RoleActions({ role }: { role: Role }) {
  const deletion = useDeletion({
    operation: 'deleteRole',
    noun: 'role',
    name: role.name,
    call: () => api.deleteRole({ role_id: role.id }),
    to: '/roles',
    effect: 'A deleted role cannot be restored. While API keys or users have the role, it cannot be deleted.',
  })
  const denial = useDenialOfRole(role)
  const isOffered = role.kind === 'custom'
  return (
    <Actions
      actions={[
        offerDialog('createRole', 'Copy', (close) => <RoleDialog role={role} isCopy onClose={close} />),
        offerDialog('updateRole', 'Edit', (close) => <RoleDialog role={role} onClose={close} />, { denial, isOffered }),
        { ...deletion, denial, isOffered },
      ]}
    />
  )
}

/** A person edits and deletes a role only with all permissions of the role. */
function useDenialOfRole({ permissions }: Role): string | undefined {
  const { permissions: own } = useSelf()
  const lacking = permissions.filter((permission) => !own.includes(permission))
  if (lacking.length === 0) return undefined
  return `needs ${formatQuantity(lacking.length, 'permission')} of the role that you do not have`
}
