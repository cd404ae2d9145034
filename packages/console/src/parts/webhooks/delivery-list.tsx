import type { Delivery } from '@payments/client/schemas'
import { List } from '../../layout/list.tsx'
import { Empty } from '../../layout/page.tsx'
import type { Filters } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Notice, Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { DeliveryLink, Destination } from '../links.tsx'
import { DeliveryState } from '../states.tsx'

/** Deliveries of the tenant, newest first. */
export function DeliveryList({ filters }: { filters: Filters }) {
  const denial = useDenial()('listTenantDeliveries')
  if (denial !== undefined) return <Notice tone="warning">The list of deliveries {denial}.</Notice>
  return (
    <List
      label="Deliveries"
      operation="listTenantDeliveries"
      topic="deliveries"
      args={filters}
      columns={deliveryColumns(filters)}
      empty={<Empty title={noDelivery.title}>{noDelivery.hint}</Empty>}
    />
  )
}

export const noDelivery = {
  title: 'No delivery matches.',
  hint: 'The delivery of an event appears here as soon as it begins.',
}

/** A list of one subscription leaves out the endpoint. */
export const deliveryColumns = (filters: Filters): readonly Column<Delivery>[] =>
  columns.filter(({ name }) => name !== endpoint || filters['subscription_id'] === undefined)

const endpoint = 'Endpoint'

const columns: readonly Column<Delivery>[] = [
  {
    name: 'Event',
    width: 'minmax(0, 2fr)',
    cell: ({ id, business_unit_id, event_type }) => (
      <DeliveryLink unitId={business_unit_id} id={id}>
        {foreign(event_type)}
      </DeliveryLink>
    ),
  },
  { name: endpoint, width: 'minmax(0, 1fr)', cell: (delivery) => <Destination delivery={delivery} /> },
  { name: 'Status', width: '7rem', cell: ({ status }) => <DeliveryState status={status} /> },
  {
    name: 'Attempts',
    width: '9rem',
    cell: ({ attempt_count, next_attempt_at }) => (
      <span>
        {attempt_count}
        {next_attempt_at === null ? null : (
          <small>
            , next <Time at={next_attempt_at} />
          </small>
        )}
      </span>
    ),
  },
  { name: 'Created', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
