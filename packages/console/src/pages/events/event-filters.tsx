import { type Filters, filtersIn, type SearchField, SearchForm } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { useTypeField } from '../names/known-types.ts'

export type EventFilters = Filters

const names = ['business_unit_id', 'event_type', 'resource_id', 'trace_id', 'created_after', 'created_before'] as const

/** The filters of the list that a URL has; others are ignored. */
export const eventFilters = (search: Readonly<Record<string, string | undefined>>): EventFilters =>
  filtersIn(
    names.map((name) => ({ name })),
    search,
  )

interface EventFilterBarProps {
  readonly filters: EventFilters
  readonly onChange: (filters: Record<string, string>) => void
}

export function EventFilterBar({ filters, onChange }: EventFilterBarProps) {
  const type = useTypeField()
  const unit = useUnitField()
  const fields: readonly SearchField[] = [
    { name: 'resource_id', label: 'Resource id' },
    type,
    unit,
    { name: 'created_after', label: 'From', isInstant: true },
    { name: 'created_before', label: 'To', isInstant: true },
    { name: 'trace_id' },
  ]
  return <SearchForm fields={fields} filters={filters} onChange={onChange} />
}
