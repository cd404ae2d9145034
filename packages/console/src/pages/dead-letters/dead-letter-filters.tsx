import { filtersIn, type SearchField, SearchForm } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { causesAfter } from '../deliveries/causes.ts'
import { useTypeField } from '../names/known-types.ts'
import { useSubscriptionField } from '../names/subscription-names.tsx'
import type { DeadLetterFilters } from './selection.ts'

const names = [
  ...['error_kind', 'subscription_id', 'event_type', 'business_unit_id'],
  ...['dead_after', 'dead_before', 'status_code'],
]

/** The filters of the list that a URL has; others are ignored. */
export const deadLetterFilters = (search: Readonly<Record<string, string | undefined>>): DeadLetterFilters =>
  filtersIn(
    names.map((name) => ({ name })),
    search,
  )

interface DeadLetterFilterBarProps {
  readonly filters: DeadLetterFilters
  readonly onChange: (filters: Record<string, string>) => void
}

/** A code belongs to its cause: another cause removes it. */
export function DeadLetterFilterBar({ filters, onChange }: DeadLetterFilterBarProps) {
  const fields: readonly SearchField[] = [
    { name: 'error_kind', label: 'Cause', options: causesAfter('Every cause') },
    useSubscriptionField(),
    useTypeField(),
    useUnitField(),
    { name: 'dead_after', label: 'From', isInstant: true },
    { name: 'dead_before', label: 'To', isInstant: true },
    { name: 'status_code' },
  ]
  const change = (next: Record<string, string>) => {
    const { status_code: code, ...others } = next
    const isOther = next['error_kind'] !== filters['error_kind']
    onChange(code === undefined || isOther ? others : next)
  }
  return <SearchForm fields={fields} filters={filters} onChange={change} />
}
