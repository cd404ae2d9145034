import { useState } from 'react'
import styles from '../../layout/filters.module.css'
import { foreign } from '../../text/foreign.ts'
import { Select } from '../../ui/select.tsx'
import { useRoles } from '../roles/role-names.ts'

export interface KeyListFilters {
  readonly [name: string]: string | undefined
  readonly search?: string
  readonly role_id?: string
  readonly enabled?: string
}

/** The filters of the list that a URL has; others are ignored. */
export function keyListFilters({
  search,
  role_id,
  enabled,
}: Readonly<Record<string, string | undefined>>): KeyListFilters {
  return {
    ...(search === undefined ? {} : { search }),
    ...(role_id === undefined ? {} : { role_id }),
    ...(enabled === 'true' || enabled === 'false' ? { enabled } : {}),
  }
}

interface KeyFiltersProps {
  readonly filters: KeyListFilters
  readonly onChange: (filters: Record<string, string>) => void
}

export function KeyFilters({ filters, onChange }: KeyFiltersProps) {
  const roles = useRoles()
  const [search, setSearch] = useState(filters.search ?? '')
  const change = (part: Record<string, string>) =>
    onChange(
      Object.fromEntries(Object.entries({ ...filters, ...part }).filter(([, value]) => value)) as Record<
        string,
        string
      >,
    )
  return (
    <form
      className={styles.filters}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        change({ search: search.trim() })
      }}
    >
      <input
        type="search"
        aria-label="Name or id of the key"
        placeholder="Name or id"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
        onBlur={() => change({ search: search.trim() })}
      />
      <Select
        aria-label="Role"
        value={filters.role_id ?? ''}
        options={[
          { value: '', label: 'Every role' },
          ...roles.map((role) => ({ value: role.id, label: foreign(role.name) })),
        ]}
        onChange={(role_id) => change({ role_id })}
      />
      <Select
        aria-label="State"
        value={filters.enabled ?? ''}
        options={[
          { value: '', label: 'Enabled and disabled' },
          { value: 'true', label: 'Enabled' },
          { value: 'false', label: 'Disabled' },
        ]}
        onChange={(enabled) => change({ enabled })}
      />
    </form>
  )
}
