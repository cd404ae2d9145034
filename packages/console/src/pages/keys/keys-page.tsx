import type { ApiKey } from '@payments/client/schemas'
import { ListPage } from '../../layout/list-page.tsx'
import { Empty } from '../../layout/page.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { RoleNames } from '../../parts/access/role-choice.tsx'
import { KeyLink } from '../../parts/links.tsx'
import { useItems } from '../../session/lists.ts'
import { foreign } from '../../text/foreign.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyState } from './key-state.tsx'

/** The API keys of the tenant, with masked values. */
export function KeysPage() {
  return (
    <ListPage
      title="API keys"
      about="Credentials of your programs. A key has the permissions of its roles."
      operation="listKeys"
      topic="keys"
      fields={useFields()}
      columns={columns}
      empty={
        <Empty title="There is no API key yet.">
          <p>Create one, give it a role, and send the first request with it.</p>
        </Empty>
      }
      noMatch={<Empty title="No API key matches these filters." />}
      action={{
        operation: 'createKey',
        label: 'Create API key',
        kind: 'primary',
        dialog: (close) => <CreateKeyDialog onClose={close} />,
      }}
    />
  )
}

function useFields(): readonly SearchField[] {
  const roles = useItems('listRoles', 'roles').map(({ id, name }) => ({ value: id, label: foreign(name) }))
  return [
    { name: 'search', label: 'Name or id' },
    { name: 'role_id', label: 'Role', options: [{ value: '', label: 'Every role' }, ...roles] },
    {
      name: 'enabled',
      label: 'State',
      options: [
        { value: '', label: 'Enabled and disabled' },
        { value: 'true', label: 'Enabled' },
        { value: 'false', label: 'Disabled' },
      ],
    },
  ]
}

const columns: readonly Column<ApiKey>[] = [
  { name: 'Name', cell: ({ id, name }) => <KeyLink id={id}>{foreign(name)}</KeyLink> },
  { name: 'Value', cell: ({ value }) => <code>{foreign(value)}</code> },
  { name: 'Roles', cell: ({ role_ids }) => <RoleNames roleIds={role_ids} /> },
  { name: 'State', width: '9rem', cell: (key) => <KeyState apiKey={key} /> },
  { name: 'Last used', width: '9rem', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
]
