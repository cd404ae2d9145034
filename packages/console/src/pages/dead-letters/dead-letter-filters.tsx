import { type Filters, filtersIn, type SearchField, SearchForm } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { causesAfter } from '../deliveries/causes.ts'

export type DeadLetterFilters = Filters

const fields: readonly SearchField[] = [
  { name: 'error_kind', label: 'Cause', options: causesAfter('Every cause') },
  { name: 'dead_after', label: 'From', isInstant: true },
  { name: 'dead_before', label: 'To', isInstant: true },
  { name: 'subscription_id' },
  { name: 'status_code' },
  { name: 'event_type' },
]

/** The filters of the list that a URL has; others are ignored. */
export const deadLetterFilters = (search: Readonly<Record<string, string | undefined>>): DeadLetterFilters =>
  filtersIn([{ name: 'business_unit_id' }, ...fields], search)

interface DeadLetterFilterBarProps {
  readonly filters: DeadLetterFilters
  readonly onChange: (filters: Record<string, string>) => void
}

/** A code belongs to its cause: another cause removes it. */
export function DeadLetterFilterBar({ filters, onChange }: DeadLetterFilterBarProps) {
  const unit = useUnitField()
  const change = (next: Record<string, string>) => {
    const { status_code: code, ...others } = next
    const isOther = next['error_kind'] !== filters['error_kind']
    onChange(code === undefined || isOther ? others : next)
  }
  return <SearchForm fields={[unit, ...fields]} filters={filters} onChange={change} />
}
