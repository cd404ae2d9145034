import type { ApiKey } from '@payments/client/schemas'
import { offerDialog } from '../../layout/actions.tsx'
import { ListPage } from '../../layout/list.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { RoleNames } from '../../parts/access/roles.tsx'
import { KeyLink } from '../../parts/links.tsx'
import { KeyState } from '../../parts/states.tsx'
import { useItems } from '../../session/reads.ts'
import { foreign } from '../../text/format.ts'
import { Time } from '../../ui/content.tsx'
import { optionsAfter } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'

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
      empty="There is no API key yet."
      hint={<p>Create one, give it a role, and send the first request with it.</p>}
      noMatch="No API key matches these filters."
      action={offerDialog('createKey', 'Create API key', (close) => <CreateKeyDialog onClose={close} />, {
        kind: 'primary',
      })}
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
      options: optionsAfter('Enabled and disabled', { true: 'Enabled', false: 'Disabled' }),
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
