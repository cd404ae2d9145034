import { useNavigate, useSearch } from '@tanstack/react-router'
import styles from '../../layout/filters.module.css'
import { Page } from '../../layout/page.tsx'
import { useChanges } from '../../session/changes.ts'
import { Select } from '../../ui/select.tsx'
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
  const others = Object.entries(filters).filter(([name]) => name !== 'status' && name !== 'error_kind')
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
              value={filters['status'] ?? ''}
              options={statuses}
              onChange={(status) => change({ status })}
            />
            <Select
              aria-label="Failure"
              value={filters['error_kind'] ?? ''}
              options={failures}
              onChange={(error_kind) => change({ error_kind })}
            />
          </div>
          {others.length === 0 ? null : (
            <div className="row">
              {others.map(([name, value]) => (
                <button key={name} type="button" onClick={() => change({ [name]: '' })}>
                  {name} <code>{value}</code> ✕<span className="visually-hidden">remove</span>
                </button>
              ))}
            </div>
          )}
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

const failures = [
  { value: '', label: 'Every result' },
  { value: 'status', label: 'Response with an error' },
  { value: 'timeout', label: 'Time-out' },
  { value: 'connect', label: 'No connection' },
  { value: 'dns', label: 'Unknown host' },
  { value: 'tls', label: 'TLS' },
  { value: 'reset', label: 'Connection lost' },
  { value: 'redirect', label: 'Redirect' },
  { value: 'gone', label: 'Gone (410)' },
]
