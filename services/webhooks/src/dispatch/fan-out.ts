import type { Span } from '@payments/chassis/observability/span'
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
import { createDeliveries } from './create-deliveries.ts'
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
  // One span per event. The spans of a batch have the same duration.
  const spans = events.map(({ id, type, tenant_id: tenantId, trace_id: traceId, traceparent }) =>
    startSpan({ id, tenantId, type, traceId }, traceparent),
  )
  try {
    const inserts = events.map((event, number) => toEventInsert(event, number, spans[number]))
    const counts = await fanOutEvents(deps, events, inserts)
    for (const [number, span] of spans.entries()) span?.end({ 'payments.deliveries': counts[number] })
  } catch (error) {
    for (const span of spans) span?.end({}, 'error')
    throw error
  }
  return batch.map(() => undefined)
}

export interface FanOutDeps extends WorkerDeps {
  readonly laterPages: Pick<ClaimLoop, 'wake'>
}

/** An event with the `traceparent` of the span that consumed it. */
export interface TracedEvent extends EventMessage {
  readonly traceparent?: string | null
}

/**
 * The first pages of the 50 events that one batch has form one statement. It renders at most 16 bodies of 1 MiB: a
 * payload has at most 1 MiB, and a batch of several events 256 KiB.
 */
export const firstPageMax = 16

const noId = '00000000-0000-0000-0000-000000000000'

/** Undefined while tracing is off. */
export function startSpan(
  { id, tenantId, type, traceId }: Pick<EventInsert, 'id' | 'tenantId' | 'type' | 'traceId'>,
  parent: string | null | undefined,
): Span | undefined {
  if (tracing === undefined) return undefined
  const attributes = { 'payments.tenant.id': tenantId, 'payments.event.id': id, 'payments.event.type': type }
  return tracing.start('fan-out', { kind: 'internal', traceId, parent, attributes })
}

/** Returns the number of deliveries of each event. */
async function fanOutEvents(
  deps: FanOutDeps,
  events: readonly EventMessage[],
  inserts: readonly EventInsert[],
): Promise<number[]> {
  const { crossTenant: sql } = deps.db
  const found = await matchSubscriptions(sql, events.map(toMatchQuery))
  const pages = inserts.map(({ number }) =>
    takePage(
      found.filter((match) => match.number === number),
      firstPageMax,
    ),
  )
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

function toEventInsert(event: EventMessage, number: number, span: Span | undefined): EventInsert {
  return {
    number,
    id: event.id,
    tenantId: event.tenant_id,
    businessUnitId: event.business_unit_id,
    type: event.type,
    traceId: event.trace_id,
    traceparent: span?.traceparent,
    occurredAt: event.occurred_at,
    payload: JSON.stringify(event.payload),
    resourceId: findResourceId(event),
  }
}
