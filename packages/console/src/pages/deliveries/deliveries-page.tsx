import { ListPage, useFilters } from '../../layout/list.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { causes } from '../../parts/causes.ts'
import { deliveryColumns, noDelivery } from '../../parts/webhooks/delivery-list.tsx'
import { useSubscriptionField, useTypeField } from '../../parts/webhooks/names.tsx'
import { useConnection } from '../../session/connection.ts'
import { optionsAfter } from '../../ui/fields.tsx'

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
      empty={noDelivery.title}
      hint={noDelivery.hint}
    />
  )
}

const statuses = optionsAfter('Every status', {
  'pending,delivering,retrying,held': 'Not delivered yet',
  delivered: 'Delivered',
  retrying: 'Retrying',
  held: 'Held',
  dead: 'Dead',
  discarded: 'Discarded',
})

const useFields = (): readonly SearchField[] => [
  { name: 'status', label: 'Status', options: statuses },
  { name: 'error_kind', label: 'Failure', options: optionsAfter('Every result', causes) },
  useSubscriptionField(),
  useTypeField(),
  useUnitField(),
  { name: 'created_after', label: 'From', isInstant: true },
  { name: 'created_before', label: 'To', isInstant: true },
  { name: 'tenant_event_id' },
  { name: 'task_id' },
  { name: 'status_code' },
]
