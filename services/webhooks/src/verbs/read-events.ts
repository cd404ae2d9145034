import type { Caller, CallerWith } from '@payments/chassis/base/caller'
import { eventTypes } from '@payments/contracts/edges/event-types'
import { missingPayloadPermission } from '@payments/contracts/edges/payload-permissions'
import { toInputSchema } from '@payments/contracts/grammar/json-schema'
import { idBefore, type Page, type PageQuery, pageByName } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { searchedPage } from '@payments/contracts/grammar/searched-page'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { Event, Explanation } from '@payments/contracts/services/webhooks/delivery'
import type { PayloadPermission } from '@payments/contracts/services/webhooks/payload'
import type { Deps } from '../deps.ts'
import { explain } from '../domain/delivery/explain.ts'
import { type EventFilter, presentEvent } from '../domain/event/event.ts'
import { listPatterns } from '../domain/event/event-type.ts'
import * as events from '../store/event/events.ts'

export async function listEvents(
  deps: Deps,
  { tenantId }: Caller,
  filter: EventFilter,
  { cursor, limit }: PageQuery,
): Promise<Page<Event>> {
  const before = idBefore(cursor)
  const found = await deps.db.inTenant(tenantId, (tx) => events.list(tx, tenantId, filter, { before, limit }))
  return searchedPage(found, limit, presentEvent)
}

/** Throws event_not_found. */
export function explainEvent(
  deps: Deps,
  { tenantId, permissions }: CallerWith<PayloadPermission>,
  businessUnitId: string,
  tenantEventId: string,
): Promise<Explanation> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    const event = await events.findEvent(tx, tenantId, businessUnitId, tenantEventId)
    if (event === null) throw new Problem(problems.event_not_found)
    const query = { ...event, patterns: listPatterns(event.type) }
    const subscriptions = await events.listSubscriptionsOfEvent(tx, tenantId, businessUnitId, query)
    return explain(event, subscriptions, missingPayloadPermission(event.type, permissions))
  })
}

const catalogue = Object.entries(eventTypes).map(([name, { description, payload, example = null }]) => ({
  name,
  description,
  payload_schema: toInputSchema(payload) as Record<string, unknown>,
  example,
}))

/** The catalogue of event types, ordered by name. */
export async function listEventTypes(query: PageQuery) {
  return pageByName(catalogue, ({ name }) => name, query)
}
