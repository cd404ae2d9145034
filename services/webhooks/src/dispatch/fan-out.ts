import type { Span, Tracing } from '@payments/chassis/observability/span'
import { tracing } from '@payments/chassis/observability/trace'
import type { ClaimLoop } from '@payments/chassis/process/claim-loop'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { findTestedSubscription, listPatterns } from '../domain/event/event-type.ts'
import { findResourceId } from '../domain/event/resource-id.ts'
import {
  type EventInsert,
  type MatchQuery,
  matchSubscriptions,
  type SubscriptionMatch,
} from '../store/event/fan-out.ts'
import { createDeliveries, groupByEvent } from './create-deliveries.ts'
import type { WorkerDeps } from './deps.ts'

/**
 * **What it does.** Creates one delivery per event and matching subscription. An event gets its first page of
 * deliveries here; the others follow in turns of tenants (continue-fan-out.ts).
 *
 * **Guarantees.**
 * 1. Every statement can be repeated without a transaction, and a repetition stores what is missing.
 * 2. The statement that stores the first page also stores the row of the others, before the message is acknowledged. So
 *    an event holds the queue for one page, and no crash loses the rest.
 * 3. A subscription created after the first fan-out of an event does not receive it, whenever its page is stored.
 *
 * **Not guaranteed.** Order. A filter that changed between two fan-outs, or between two pages, applies as it is now.
 */
export async function fanOut(deps: FanOutDeps, batch: readonly TracedEvent[]): Promise<undefined[]> {
  const events = [...new Map(batch.map((event) => [`${event.tenant_id}/${event.id}`, event])).values()]
  if (tracing === undefined) await fanOutEvents(deps, events, events.map(toEventInsert))
  else await fanOutTraced(tracing, deps, events)
  return batch.map(() => undefined)
}

export interface FanOutDeps extends WorkerDeps {
  readonly laterPages: Pick<ClaimLoop, 'wake'>
}

/** An event with the `traceparent` of the span that consumed it. */
export interface TracedEvent extends EventMessage {
  readonly traceparent?: string | null
}

/** The first pages of 50 events, as many as one batch has, fit into one statement (create-deliveries.ts). */
export const firstPageMax = 16
const noId = '00000000-0000-0000-0000-000000000000'

/** One span per event. The spans of a batch have the same duration. */
async function fanOutTraced(tracing: Tracing, deps: FanOutDeps, events: readonly TracedEvent[]): Promise<void> {
  const plain = events.map(toEventInsert)
  const spans = plain.map((event, number) => startSpan(tracing, event, events[number]?.traceparent))
  const inserts = plain.map((event, number) => ({ ...event, traceparent: spans[number]?.traceparent }))
  try {
    const counts = await fanOutEvents(deps, events, inserts)
    for (const [number, span] of spans.entries()) span.end({ 'payments.deliveries': counts[number] })
  } catch (error) {
    for (const span of spans) span.end({}, 'error')
    throw error
  }
}

export function startSpan(
  { start }: Tracing,
  { id, tenantId, type, traceId }: Pick<EventInsert, 'id' | 'tenantId' | 'type' | 'traceId'>,
  parent: string | null | undefined,
): Span {
  const attributes = { 'payments.tenant.id': tenantId, 'payments.event.id': id, 'payments.event.type': type }
  return start('fan-out', { kind: 'internal', traceId, parent, attributes })
}

/** Returns the number of deliveries of each event. */
async function fanOutEvents(
  deps: FanOutDeps,
  events: readonly EventMessage[],
  inserts: readonly EventInsert[],
): Promise<number[]> {
  const { crossTenant: sql } = deps.db
  const byEvent = groupByEvent(await matchSubscriptions(sql, events.map(toMatchQuery)))
  const pages = inserts.map(({ number }) => takePage(byEvent.get(number) ?? [], firstPageMax))
  const rows = inserts.map((event, number) => {
    const { continueAfter = null, matches = [] } = pages[number] ?? {}
    return continueAfter === null ? event : { ...event, continueAfter, pageLength: matches.length }
  })
  const matches = pages.flatMap((page) => page.matches)
  await createDeliveries(deps, rows, matches, { isFirst: true })
  const continues = pages.map(({ continueAfter }) => continueAfter !== null)
  if (continues.includes(true)) deps.laterPages.wake()
  const counts = pages.map((page) => page.matches.length)
  for (const [number, { id, type, tenant_id, trace_id }] of events.entries()) {
    deps.db.changes.note(tenant_id, 'events')
    const more = continues[number] ? { continues: true } : {}
    deps.log.info({ trace_id, event_id: id, event_type: type, tenant_id, deliveries: counts[number], ...more }, 'event')
  }
  return counts
}

export interface Page {
  readonly matches: readonly SubscriptionMatch[]
  /** The last subscription of the page. Null: there is no further page. */
  readonly continueAfter: string | null
}

/** `found`: at most one more than the page may have. */
export function takePage(found: readonly SubscriptionMatch[], pageMax: number): Page {
  const matches = found.slice(0, pageMax)
  return { matches, continueAfter: found.length > pageMax ? (matches.at(-1)?.id ?? null) : null }
}

function toMatchQuery(event: EventMessage, number: number): MatchQuery {
  return {
    number,
    tenantId: event.tenant_id,
    businessUnitId: event.business_unit_id,
    only: findTestedSubscription(event),
    patterns: listPatterns(event.type),
    after: noId,
    limit: firstPageMax + 1,
  }
}

function toEventInsert(event: EventMessage, number: number): EventInsert {
  return {
    number,
    id: event.id,
    tenantId: event.tenant_id,
    businessUnitId: event.business_unit_id,
    type: event.type,
    traceId: event.trace_id,
    occurredAt: event.occurred_at,
    payload: JSON.stringify(event.payload),
    resourceId: findResourceId(event),
  }
}
