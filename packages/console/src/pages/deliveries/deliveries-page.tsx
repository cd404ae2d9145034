import { ListPage, useFilters } from '../../layout/list-page.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { causesAfter } from '../../parts/causes.ts'
import { deliveryColumns, noDelivery } from '../../parts/webhooks/delivery-list.tsx'
import { useTypeField } from '../../parts/webhooks/known-types.ts'
import { useSubscriptionField } from '../../parts/webhooks/subscription-names.tsx'
import { useConnection } from '../../session/connection.ts'

/** The deliveries of the tenant as they happen. */
export function DeliveriesPage() {
  const fields = useFields()
  const { isLost } = useConnection()
  return (
    <ListPage
      title="Deliveries"
      about={`Events on their way to your endpoints, newest first.${isLost ? '' : ' The list follows what happens.'}`}
      operation="listTenantDeliveries"
      topic="deliveries"
      fields={fields}
      columns={deliveryColumns(useFilters(fields))}
      empty={noDelivery}
    />
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

const useFields = (): readonly SearchField[] => [
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
