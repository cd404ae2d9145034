import type { Delivery } from '@payments/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { DeliveryState } from './delivery-state.tsx'
import { Destination } from './destination.tsx'

export type DeliveryFilters = Readonly<Record<string, string>>

/** Deliveries of the tenant, newest first. The page that shows the list keeps it up to date (`useChanges`). */
export function DeliveryList({ filters }: { filters: DeliveryFilters }) {
  const denial = useDenial()('listTenantDeliveries')
  if (denial !== undefined) return <Notice tone="warning">The list of deliveries {denial}.</Notice>
  const query = deliveriesQuery(filters)
  return (
    <>
      <List
        label="Deliveries"
        query={query}
        columns={columns.filter(({ name }) => name !== endpoint || filters['subscription_id'] === undefined)}
        idOf={({ id }) => id}
        empty={<NoDelivery query={query} />}
      />
      <SearchFurther query={query} />
    </>
  )
}

interface SearchedProps {
  readonly query: ReturnType<typeof deliveriesQuery>
}

function NoDelivery({ query }: SearchedProps) {
  const { hasNextPage } = useInfiniteQuery({ ...query, enabled: false })
  if (hasNextPage) return null
  return <Empty title="No delivery matches.">The delivery of an event appears here as soon as it begins.</Empty>
}

/** Below a page without deliveries that is not the last one: the API searches many deliveries in parts. */
function SearchFurther({ query }: SearchedProps) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({ ...query, enabled: false })
  if (!hasNextPage || isFetchingNextPage || data?.pages.at(-1)?.data.length !== 0) return null
  return (
    <Notice tone="info">
      No other delivery matches in this part of the list.{' '}
      <button type="button" data-kind="plain" onClick={() => void fetchNextPage()}>
        Search older deliveries
      </button>
    </Notice>
  )
}

type Query = NonNullable<Parameters<typeof api.listTenantDeliveries>[0]>

const deliveriesQuery = (filters: DeliveryFilters) =>
  listQuery<Delivery>({
    key: ['deliveries', filters],
    read: (cursor, signal) => {
      // The API checks the values, which come from the URL.
      const query = { ...filters, limit: 50, ...(cursor === undefined ? {} : { cursor }) } as Query
      return api.listTenantDeliveries(query, { signal }).page()
    },
  })

/** The column that a list of one subscription leaves out. */
const endpoint = 'Endpoint'

const columns: readonly Column<Delivery>[] = [
  {
    name: 'Event',
    width: 'minmax(0, 2fr)',
    cell: ({ id, business_unit_id, event_type }) => (
      <Link to="/deliveries/$unitId/$deliveryId" params={{ unitId: business_unit_id, deliveryId: id }}>
        {foreign(event_type)}
      </Link>
    ),
  },
  {
    name: endpoint,
    width: 'minmax(0, 1fr)',
    cell: ({ destination_url, business_unit_id, subscription_id }) => (
      <Destination url={destination_url} unitId={business_unit_id} subscriptionId={subscription_id} />
    ),
  },
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
