import type { ApiKey } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { type Filters, filtersIn, type SearchField, SearchForm } from '../../layout/search-form.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { RoleNames } from '../roles/role-choice.tsx'
import { useRoles } from '../roles/role-names.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyState } from './key-state.tsx'

/** The API keys of the tenant, with masked values. */
export function KeysPage() {
  const fields = useFields()
  const filters = filtersIn(fields, useSearch({ strict: false }))
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const isFiltered = Object.keys(filters).length > 0
  const create = (
    <ActionButton operation="createKey" kind="primary" onClick={() => setCreating(true)}>
      Create API key
    </ActionButton>
  )
  return (
    <Page
      title="API keys"
      about="Credentials of your programs. A key has the permissions of its roles."
      operation="listKeys"
      args={filters}
      actions={create}
    >
      {() => (
        <>
          <SearchForm
            fields={fields}
            filters={filters}
            onChange={(next) => void navigate({ to: '/keys', search: next, replace: true })}
          />
          <List
            label="API keys"
            query={keysQuery(filters)}
            columns={columns}
            idOf={({ id }) => id}
            empty={isFiltered ? <NoMatch /> : <FirstKey />}
          />
          {isCreating ? <CreateKeyDialog onClose={() => setCreating(false)} /> : null}
        </>
      )}
    </Page>
  )
}

function useFields(): readonly SearchField[] {
  const roles = useRoles()
  return [
    { name: 'search', label: 'Name or id' },
    {
      name: 'role_id',
      label: 'Role',
      options: [
        { value: '', label: 'Every role' },
        ...roles.map(({ id, name }) => ({ value: id, label: foreign(name) })),
      ],
    },
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

const keysQuery = (filters: Filters) =>
  listQuery<ApiKey>({
    key: ['keys', filters],
    read: (cursor, signal) =>
      api.listKeys({ ...filters, cursor, limit: 50 } as Parameters<typeof api.listKeys>[0], { signal }).page(),
  })

const columns: readonly Column<ApiKey>[] = [
  {
    name: 'Name',
    cell: ({ id, name }) => (
      <Link to="/keys/$keyId" params={{ keyId: id }}>
        {foreign(name)}
      </Link>
    ),
  },
  { name: 'Value', cell: ({ value }) => <code>{foreign(value)}</code> },
  { name: 'Roles', cell: ({ role_ids }) => <RoleNames roleIds={role_ids} /> },
  { name: 'State', width: '9rem', cell: (key) => <KeyState apiKey={key} /> },
  { name: 'Last used', width: '9rem', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
]

const NoMatch = () => <Empty title="No API key matches these filters." />

const FirstKey = () => (
  <Empty title="There is no API key yet.">
    <p>Create one, give it a role, and send the first request with it.</p>
  </Empty>
)
