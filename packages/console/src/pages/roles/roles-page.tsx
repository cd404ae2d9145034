import type { Role } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { RoleDialog } from './role-dialog.tsx'

/** The roles of the tenant: the built-in ones and its own. */
export function RolesPage() {
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Roles"
      about="A role is a list of permissions. API keys and users have roles."
      operation="listRoles"
      actions={
        <ActionButton operation="createRole" kind="primary" onClick={() => setCreating(true)}>
          Create role
        </ActionButton>
      }
    >
      {() => (
        <>
          <List
            label="Roles"
            query={rolesQuery}
            columns={columns}
            idOf={({ id }) => id}
            empty={<Empty title="There is no role." />}
          />
          {isCreating ? <RoleDialog onClose={() => setCreating(false)} /> : null}
        </>
      )}
    </Page>
  )
}

const rolesQuery = listQuery<Role>({
  key: ['roles', 'list'],
  read: (cursor, signal) =>
    api.listRoles({ limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal }).page(),
})

const columns: readonly Column<Role>[] = [
  {
    name: 'Name',
    cell: ({ id, name }) => (
      <Link to="/roles/$roleId" params={{ roleId: id }}>
        {foreign(name)}
      </Link>
    ),
  },
  { name: 'Description', width: 'minmax(0, 2fr)', cell: ({ description }) => foreign(description) },
  { name: 'Kind', width: '7rem', cell: ({ kind }) => <span className="badge">{kind.replace('_', '-')}</span> },
  { name: 'Permissions', width: '8rem', isNumber: true, cell: ({ permissions }) => permissions.length },
  { name: 'Changed', width: '9rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
]
