import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/grammar/page'
import type { Delivery } from '@payments/contracts/services/webhooks/delivery'
import type { Deps } from '../deps.ts'
import { presentDelivery } from '../domain/delivery.ts'
import { requireKnownType } from '../domain/event-type.ts'
import * as deliveries from '../store/deliveries.ts'

export async function listDeliveries(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  filter: deliveries.DeliveryFilter,
  { cursor, limit }: PageQuery,
): Promise<Page<Delivery>> {
  const { tenantId } = caller
  requireKnownType(filter.eventType, '/query')
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(tenantId, (tx) =>
    deliveries.list(tx, tenantId, businessUnitId, filter, { before, limit }),
  )
  return pageOf(rows, limit, presentDelivery)
}
