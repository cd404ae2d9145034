import type { Caller } from '@payments/chassis/base/caller'
import { uuid } from '@payments/contracts/grammar/field'
import {
  cursorAt,
  type Page,
  type PageQuery,
  pageAt,
  positionBehind,
  positionInstant,
} from '@payments/contracts/grammar/page'
import type { Delivery } from '@payments/contracts/services/webhooks/delivery'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { type DeliveryFilter, presentDelivery, type StoredDelivery } from '../domain/delivery.ts'
import { requireKnownType } from '../domain/event-type.ts'
import { listOfTenant } from '../store/delivery-lists.ts'

const position = z.tuple([positionInstant, uuid])

/** The deliveries of every business unit by their creation. */
export async function listTenantDeliveries(
  deps: Deps,
  { tenantId }: Caller,
  filter: DeliveryFilter,
  { cursor, limit }: PageQuery,
): Promise<Page<Delivery>> {
  requireKnownType(filter.eventType, '/query')
  const before = positionBehind(cursor, position)
  const { rows, searchedTo } = await deps.db.inTenant(tenantId, (tx) =>
    listOfTenant(tx, tenantId, filter, { before, limit }),
  )
  const toPosition = ({ createdAt, id }: StoredDelivery) => [createdAt.toISOString(), id]
  const page = pageAt(rows, limit, toPosition, presentDelivery)
  return searchedTo === null ? page : { ...page, next_cursor: page.next_cursor ?? cursorAt(searchedTo) }
}
