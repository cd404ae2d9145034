import { FilterChips } from '../../layout/filter-chips.tsx'
import styles from '../../layout/filters.module.css'
import { TimeRange } from '../../layout/time-range.tsx'
import { UnitFilter } from '../../layout/unit.tsx'
import { Select } from '../../ui/select.tsx'
import { causesAfter } from '../deliveries/causes.ts'

const names = [
  'business_unit_id',
  'subscription_id',
  'error_kind',
  'status_code',
  'event_type',
  'dead_after',
  'dead_before',
] as const

export type DeadLetterFilters = Readonly<Partial<Record<(typeof names)[number], string>>>

/** The filters of the list that a URL has; others are ignored. */
export const deadLetterFilters = (search: Readonly<Record<string, string | undefined>>): DeadLetterFilters =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))

interface DeadLetterFilterBarProps {
  readonly filters: DeadLetterFilters
  readonly onChange: (filters: Record<string, string>) => void
}

export function DeadLetterFilterBar({ filters, onChange }: DeadLetterFilterBarProps) {
  const { business_unit_id: unitId, error_kind: kind, dead_after: after, dead_before: before, ...others } = filters
  const change = (part: Record<string, string>) => onChange({ ...filters, ...part })
  return (
    <>
      <div className={styles.filters}>
        <UnitFilter value={unitId ?? ''} onChange={(business_unit_id) => change({ business_unit_id })} />
        <Select
          aria-label="Cause"
          value={kind ?? ''}
          options={causesAfter('Every cause')}
          onChange={(error_kind) => change({ error_kind, status_code: '' })}
        />
        <TimeRange
          after={after}
          before={before}
          onChange={(range) => change({ dead_after: range.after, dead_before: range.before })}
        />
      </div>
      <FilterChips filters={others as Record<string, string>} onRemove={(name) => change({ [name]: '' })} />
    </>
  )
}
