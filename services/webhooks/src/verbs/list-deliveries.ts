import type { Caller } from '@payments/chassis/base/caller'
import { cursorOf, idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/grammar/page'
import type { Delivery } from '@payments/contracts/services/webhooks/delivery'
import type { Deps } from '../deps.ts'
import { type DeliveryFilter, presentDelivery } from '../domain/delivery.ts'
import { requireKnownType } from '../domain/event-type.ts'
import { listOfUnit } from '../store/delivery-lists.ts'

export async function listDeliveries(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  filter: DeliveryFilter,
  { cursor, limit }: PageQuery,
): Promise<Page<Delivery>> {
  requireKnownType(filter.eventType, '/query')
  const before = idBefore(cursor)
  const { rows, searchedTo } = await deps.db.readInTenant(tenantId, (tx) =>
    listOfUnit(tx, tenantId, { ...filter, businessUnitId }, { before, limit }),
  )
  const page = pageOf(rows, limit, presentDelivery)
  return searchedTo === null ? page : { ...page, next_cursor: page.next_cursor ?? cursorOf(searchedTo) }
}
