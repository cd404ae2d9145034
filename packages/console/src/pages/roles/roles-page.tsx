import type { Role } from '@payments/client/schemas'
import { offerDialog } from '../../layout/actions.tsx'
import { ListPage } from '../../layout/list.tsx'
import { RoleLink } from '../../parts/links.tsx'
import { foreign } from '../../text/format.ts'
import { Badge, Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { RoleDialog } from './role-dialog.tsx'

/** The roles of the tenant: the built-in ones and its own. */
export function RolesPage() {
  return (
    <ListPage
      title="Roles"
      about="A role is a list of permissions. API keys and users have roles."
      operation="listRoles"
      topic="roles"
      columns={columns}
      empty="There is no role."
      action={offerDialog('createRole', 'Create role', (close) => <RoleDialog onClose={close} />, { kind: 'primary' })}
    />
  )
}

const columns: readonly Column<Role>[] = [
  { name: 'Name', cell: ({ id, name }) => <RoleLink id={id}>{foreign(name)}</RoleLink> },
  { name: 'Description', width: 'minmax(0, 2fr)', cell: ({ description }) => foreign(description) },
  { name: 'Kind', width: '7rem', cell: ({ kind }) => <Badge>{kind.replace('_', '-')}</Badge> },
  { name: 'Permissions', width: '8rem', isNumber: true, cell: ({ permissions }) => permissions.length },
  { name: 'Changed', width: '9rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
]
