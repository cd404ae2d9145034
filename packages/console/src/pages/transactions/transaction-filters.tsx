import { type Filters, filtersIn, type SearchField, SearchForm } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'

export type TransactionFilterValues = Filters

const names = ['status', 'pending_state', 'business_unit_id', 'search', 'created_after', 'created_before'] as const

/** The filters of the list that a URL has; others are ignored. */
export const transactionFilters = (search: Readonly<Record<string, string | undefined>>): TransactionFilterValues =>
  filtersIn(
    names.map((name) => ({ name })),
    search,
  )

interface TransactionFiltersProps {
  readonly filters: TransactionFilterValues
  readonly onChange: (filters: Record<string, string>) => void
}

export function TransactionFilters({ filters, onChange }: TransactionFiltersProps) {
  const unit = useUnitField()
  const fields: readonly SearchField[] = [
    { name: 'search', label: 'Reference or id' },
    { name: 'status', label: 'Status', options: statuses },
    { name: 'pending_state', label: 'Open operation', options: openStates },
    unit,
    { name: 'created_after', label: 'From', isInstant: true },
    { name: 'created_before', label: 'Until', isInstant: true },
  ]
  return <SearchForm fields={fields} filters={filters} onChange={onChange} />
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
  { value: 'action_required', label: 'Payer confirms' },
  { value: 'pending', label: 'Provider decides later' },
  { value: 'in_progress', label: 'In progress' },
]
