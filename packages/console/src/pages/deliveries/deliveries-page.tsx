import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../layout/page.tsx'
import { filtersIn, type SearchField, SearchForm } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { useChanges } from '../../session/changes.ts'
import { useConnection } from '../../session/connection.ts'
import { useTypeField } from '../names/known-types.ts'
import { useSubscriptionField } from '../names/subscription-names.tsx'
import { causesAfter } from './causes.ts'
import { DeliveryList } from './delivery-list.tsx'

/** The deliveries of the tenant as they happen. */
export function DeliveriesPage() {
  useChanges()
  const fields = useFields()
  const filters = filtersIn(fields, useSearch({ strict: false }))
  const navigate = useNavigate()
  const { isLost } = useConnection()
  return (
    <Page
      title="Deliveries"
      about={`Events on their way to your endpoints, newest first.${isLost ? '' : ' The list follows what happens.'}`}
      operation="listTenantDeliveries"
      args={filters}
    >
      {() => (
        <>
          <SearchForm
            fields={fields}
            filters={filters}
            onChange={(search) => void navigate({ to: '/deliveries', search, replace: true })}
          />
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

function useFields(): readonly SearchField[] {
  return [
    { name: 'status', label: 'Status', options: statuses },
    { name: 'error_kind', label: 'Failure', options: causesAfter('Every result') },
    useSubscriptionField(),
    useTypeField(),
    useUnitField(),
    { name: 'created_after', label: 'From', isInstant: true },
    { name: 'created_before', label: 'To', isInstant: true },
    { name: 'tenant_event_id' },
    { name: 'task_id' },
    { name: 'status_code' },
  ]
}
