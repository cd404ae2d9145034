import { useState } from 'react'
import { FilterChips } from '../../layout/filter-chips.tsx'
import styles from '../../layout/filters.module.css'
import { TimeRange } from '../../layout/time-range.tsx'
import { UnitFilter } from '../../layout/unit.tsx'
import { Select } from '../../ui/select.tsx'
import { useEventTypes } from '../names/known-types.ts'

const names = ['business_unit_id', 'event_type', 'resource_id', 'trace_id', 'created_after', 'created_before'] as const

export type EventFilters = Readonly<Partial<Record<(typeof names)[number], string>>>

/** The filters of the list that a URL has; others are ignored. */
export const eventFilters = (search: Readonly<Record<string, string | undefined>>): EventFilters =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))

interface EventFilterBarProps {
  readonly filters: EventFilters
  readonly onChange: (filters: Record<string, string>) => void
}

export function EventFilterBar({ filters, onChange }: EventFilterBarProps) {
  const { business_unit_id: unitId = '', event_type: type = '', resource_id, trace_id } = filters
  const [resource, setResource] = useState(resource_id ?? '')
  const types = useEventTypes().map(({ name }) => ({ value: name, label: name }))
  const isKnown = type === '' || types.some(({ value }) => value === type)
  const change = (part: Record<string, string>) => onChange({ ...filters, ...part })
  const search = () => change({ resource_id: resource.trim() })
  return (
    <>
      <form
        className={styles.filters}
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          search()
        }}
      >
        <input
          type="search"
          aria-label="Resource id"
          placeholder="Id of a resource"
          value={resource}
          onChange={({ target }) => setResource(target.value)}
          onBlur={search}
        />
        <Select
          aria-label="Event type"
          value={type}
          options={[{ value: '', label: 'Every type' }, ...types, ...(isKnown ? [] : [{ value: type, label: type }])]}
          onChange={(event_type) => change({ event_type })}
        />
        <UnitFilter value={unitId} onChange={(business_unit_id) => change({ business_unit_id })} />
        <TimeRange
          after={filters.created_after}
          before={filters.created_before}
          onChange={({ after, before }) => change({ created_after: after, created_before: before })}
        />
      </form>
      <FilterChips filters={trace_id === undefined ? {} : { trace_id }} onRemove={(name) => change({ [name]: '' })} />
    </>
  )
}
