import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery } from '@payments/contracts/grammar/page'
import { searchedPage } from '@payments/contracts/grammar/searched-page'
import type { Event } from '@payments/contracts/services/webhooks/delivery'
import type { Deps } from '../deps.ts'
import { type EventFilter, presentEvent } from '../domain/event.ts'
import { requireKnownType } from '../domain/event-type.ts'
import * as events from '../store/events.ts'

export async function listEvents(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  filter: EventFilter,
  { cursor, limit }: PageQuery,
): Promise<Page<Event>> {
  const { tenantId } = caller
  requireKnownType(filter.eventType, '/query')
  const before = idBefore(cursor)
  const found = await deps.db.inTenant(tenantId, (tx) =>
    events.listOfUnit(tx, tenantId, businessUnitId, filter, { before, limit }),
  )
  return searchedPage(found, limit, presentEvent)
}
