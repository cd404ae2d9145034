import { useState } from 'react'
import styles from '../../layout/filters.module.css'
import { useUnits } from '../../layout/unit.tsx'
import { foreign } from '../../text/foreign.ts'
import { instantOf, localOf } from '../../text/local-time.ts'
import { Select } from '../../ui/select.tsx'

export type TransactionFilterValues = Readonly<Record<string, string>>

const names = ['status', 'pending_state', 'business_unit_id', 'search', 'created_after', 'created_before'] as const

/** The filters of the list that a URL has; others are ignored. */
export const transactionFilters = (search: Readonly<Record<string, string | undefined>>): TransactionFilterValues =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))

interface TransactionFiltersProps {
  readonly filters: TransactionFilterValues
  readonly onChange: (filters: Record<string, string>) => void
}

export function TransactionFilters({ filters, onChange }: TransactionFiltersProps) {
  const [search, setSearch] = useState(filters['search'] ?? '')
  const units = useUnits().data?.data ?? []
  const change = (part: Record<string, string>) => onChange({ ...filters, ...part })
  const find = () => change({ search: search.trim() })
  return (
    <form
      className={styles.filters}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        find()
      }}
    >
      <input
        type="search"
        aria-label="Reference or id"
        placeholder="Reference or id"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
        onBlur={find}
      />
      <Select
        aria-label="Status"
        value={filters['status'] ?? ''}
        options={statuses}
        onChange={(status) => change({ status })}
      />
      <Select
        aria-label="Open operation"
        value={filters['pending_state'] ?? ''}
        options={openStates}
        onChange={(pending_state) => change({ pending_state })}
      />
      {units.length < 2 ? null : (
        <Select
          aria-label="Business unit"
          value={filters['business_unit_id'] ?? ''}
          options={[
            { value: '', label: 'Every business unit' },
            ...units.map(({ id, name }) => ({ value: id, label: foreign(name) })),
          ]}
          onChange={(business_unit_id) => change({ business_unit_id })}
        />
      )}
      <Instant label="From" name="created_after" filters={filters} onChange={change} />
      <Instant label="Until" name="created_before" filters={filters} onChange={change} />
    </form>
  )
}

interface InstantProps extends TransactionFiltersProps {
  readonly label: string
  readonly name: 'created_after' | 'created_before'
}

/** An instant of the URL, in the time zone of the reader. */
function Instant({ label, name, filters, onChange }: InstantProps) {
  return (
    <label className={styles.instant}>
      <small>{label}</small>
      <input
        type="datetime-local"
        value={localOf(filters[name] ?? '')}
        onChange={({ target }) => onChange({ [name]: instantOf(target.value) })}
      />
    </label>
  )
}

const statuses = [
  { value: '', label: 'Every status' },
  ...[
    'pending',
    'failed',
    'authorized',
    'partially_captured',
    'captured',
    'voided',
    'partially_refunded',
    'refunded',
  ].map((value) => ({ value, label: value.replaceAll('_', ' ') })),
]

const openStates = [
  { value: '', label: 'Open or not' },
  { value: 'unknown', label: 'Outcome unknown' },
  { value: 'needs_review', label: 'Needs review' },
  { value: 'pending', label: 'Provider decides later' },
  { value: 'in_progress', label: 'In progress' },
]
