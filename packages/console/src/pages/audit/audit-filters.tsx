import { useState } from 'react'
import styles from '../../layout/filters.module.css'
import { Select } from '../../ui/select.tsx'

export interface RecordFilters {
  readonly [name: string]: string
}

const names = ['outcome', 'actor_type', 'client', 'trace_id', 'operation', 'actor_id'] as const

/** The filters of the list that a URL has; others are ignored. */
export const recordFilters = (search: Readonly<Record<string, string | undefined>>): RecordFilters =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))

interface AuditFiltersProps {
  readonly filters: RecordFilters
  readonly onChange: (filters: Record<string, string>) => void
}

export function AuditFilters({ filters, onChange }: AuditFiltersProps) {
  const [traceId, setTraceId] = useState(filters.trace_id ?? '')
  const change = (part: Record<string, string>) => onChange({ ...filters, ...part })
  return (
    <form
      className={styles.filters}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        change({ trace_id: traceId.trim() })
      }}
    >
      <input
        type="search"
        aria-label="Trace-ID"
        placeholder="Trace-ID"
        value={traceId}
        onChange={({ target }) => setTraceId(target.value)}
        onBlur={() => change({ trace_id: traceId.trim() })}
      />
      <Select
        aria-label="Outcome"
        value={filters.outcome ?? ''}
        options={outcomes}
        onChange={(outcome) => change({ outcome })}
      />
      <Select
        aria-label="Actor"
        value={filters.actor_type ?? ''}
        options={actors}
        onChange={(actor_type) => change({ actor_type })}
      />
    </form>
  )
}

const outcomes = [
  { value: '', label: 'Every outcome' },
  { value: 'success', label: 'Success' },
  { value: 'denied', label: 'Denied' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'error', label: 'Error' },
]

const actors = [
  { value: '', label: 'Every actor' },
  { value: 'api_key', label: 'API keys' },
  { value: 'user', label: 'Users' },
  { value: 'operator', label: 'Operators' },
  { value: 'anonymous', label: 'Anonymous' },
]
