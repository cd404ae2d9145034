import type { ApiKey } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { RoleNames } from '../roles/role-choice.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyFilters, type KeyListFilters, keyListFilters } from './key-filters.tsx'
import { KeyState } from './key-state.tsx'

/** The API keys of the tenant, with masked values. */
export function KeysPage() {
  const filters = keyListFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
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
          <KeyFilters
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

const keysQuery = (filters: KeyListFilters) =>
  listQuery<ApiKey>({
    key: ['keys', filters],
    read: (cursor, signal) => {
      const { enabled, ...others } = filters
      const isEnabled = enabled === undefined ? undefined : (enabled as 'true' | 'false')
      return api
        .listKeys({ ...others, enabled: isEnabled, cursor, limit: 50 } as Parameters<typeof api.listKeys>[0], {
          signal,
        })
        .page()
    },
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
