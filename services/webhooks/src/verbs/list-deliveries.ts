import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery } from '@payments/contracts/grammar/page'
import { searchedPage } from '@payments/contracts/grammar/searched-page'
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
  const found = await deps.db.inTenant(tenantId, (tx) =>
    listOfUnit(tx, tenantId, { ...filter, businessUnitId }, { before, limit }),
  )
  return searchedPage(found, limit, presentDelivery)
}
