import { useNavigate, useSearch } from '@tanstack/react-router'
import { FilterChips } from '../../layout/filter-chips.tsx'
import styles from '../../layout/filters.module.css'
import { Page } from '../../layout/page.tsx'
import { useChanges } from '../../session/changes.ts'
import { Select } from '../../ui/select.tsx'
import { causesAfter } from './causes.ts'
import { type DeliveryFilters, DeliveryList } from './delivery-list.tsx'

const names = ['status', 'error_kind', 'subscription_id', 'tenant_event_id', 'event_type', 'status_code'] as const

/** The filters of the list that a URL has; others are ignored. */
const filtersOf = (search: Readonly<Record<string, string | undefined>>): DeliveryFilters =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))

/** The deliveries of the tenant as they happen. */
export function DeliveriesPage() {
  useChanges()
  const filters = filtersOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (part: Record<string, string>) =>
    void navigate({ to: '/deliveries', search: { ...filters, ...part }, replace: true })
  const { status = '', error_kind: errorKind = '', ...others } = filters
  return (
    <Page
      title="Deliveries"
      about="Events on their way to your endpoints, newest first. The list follows what happens."
      operation="listTenantDeliveries"
      args={filters}
    >
      {() => (
        <>
          <div className={styles.filters}>
            <Select
              aria-label="Status"
              value={status}
              options={statuses}
              onChange={(chosen) => change({ status: chosen })}
            />
            <Select
              aria-label="Failure"
              value={errorKind}
              options={causesAfter('Every result')}
              onChange={(error_kind) => change({ error_kind })}
            />
          </div>
          <FilterChips filters={others} onRemove={(name) => change({ [name]: '' })} />
          <DeliveryList filters={filters} />
        </>
      )}
    </Page>
  )
}

const statuses = [
  { value: '', label: 'Every status' },
  { value: 'pending,delivering,retrying,held', label: 'Not delivered yet' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'retrying', label: 'Retrying' },
  { value: 'held', label: 'Held' },
  { value: 'dead', label: 'Dead' },
  { value: 'discarded', label: 'Discarded' },
]
