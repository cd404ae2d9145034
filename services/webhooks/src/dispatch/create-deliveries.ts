import { randomUUID } from 'node:crypto'
import type { WorkItem } from '../domain/delivery/delivery.ts'
import { renderBody } from '../domain/delivery/delivery-body.ts'
import { deriveDeliveryId } from '../domain/delivery/delivery-id.ts'
import { testEventType } from '../domain/event/event-type.ts'
import type { Claimed, DeliveryTarget } from '../store/delivery/claim.ts'
import {
  type DeliveryInsert,
  type EventInsert,
  type Inserted,
  insertDeliveries,
  listEntitled,
  type SubscriptionMatch,
} from '../store/event/fan-out.ts'
import type { WorkerDeps } from './deps.ts'
import type { Destination } from './destination-limits.ts'

/**
 * **What it does.** Stores the deliveries of events to matched subscriptions, and gives as many as possible to the
 * workers of this process. The initial state names the participant that acts next:
 *
 * - claimed: workers, as due and within the limits
 * - tested: workers, as the first attempt of a test event within the limits, also when disabled or with an open breaker
 * - backlogged, held: backlog, as due without capacity, or disabled, or with an open breaker
 *
 * **Guarantees.** Every statement can be repeated without a transaction: an existing delivery is left alone.
 *
 * **Not guaranteed.** Order.
 *
 * `isFirst`: first pages, whose events are stored too. Deliveries of known events go to subscriptions that existed when
 * fan-out first processed the event.
 */
export async function createDeliveries(
  deps: WorkerDeps,
  events: readonly EventInsert[],
  matches: readonly SubscriptionMatch[],
  { isFirst }: { isFirst: boolean },
): Promise<void> {
  const due = matches.filter(({ held }) => !held).length
  const endExpectation = due === 0 ? () => {} : await deps.workers.waitForCapacity(due, capacityWaitMs)
  try {
    await store(deps, events, planDeliveries(deps, events, matches), isFirst)
  } finally {
    endExpectation()
  }
}

/** A claimed delivery is written twice, a backlogged one three times, so waiting saves work; but not for long. */
const capacityWaitMs = 250

/** A delivery that is not stored yet. */
interface PendingDelivery {
  readonly item: WorkItem
  readonly row: DeliveryInsert
  readonly event: EventInsert
}

function planDeliveries(
  { limits, workers }: WorkerDeps,
  events: readonly EventInsert[],
  matches: readonly SubscriptionMatch[],
): PendingDelivery[] {
  let free = workers.free()
  const decideInitial = (destination: Destination, held: boolean, isTest: boolean): DeliveryInsert['initial'] => {
    if (isTest && free > 0 && limits.startDue(destination)) {
      free -= 1
      return 'tested'
    }
    if (held) return 'held'
    if (free > 0 && limits.startNew(destination)) {
      free -= 1
      return 'claimed'
    }
    limits.markBacklogged(destination)
    return 'backlogged'
  }
  const byNumber = new Map(events.map((event) => [event.number, event]))
  return matches.flatMap(({ number, id: subscriptionId, businessUnitId, held }) => {
    const event = byNumber.get(number)
    if (event === undefined) return []
    const { tenantId } = event
    const id = deriveDeliveryId({ id: event.id, occurredAt: new Date(event.occurredAt) }, subscriptionId)
    const item = { id, tenantId, subscriptionId, attemptCount: 0 }
    const initial = decideInitial(item, held, event.type === testEventType)
    return [{ item, event, row: { id, number, subscriptionId, businessUnitId, traceId: randomUUID(), initial } }]
  })
}

/** Stores events without a match too. */
async function store(
  deps: WorkerDeps,
  events: readonly EventInsert[],
  pending: readonly PendingDelivery[],
  isFirst: boolean,
): Promise<void> {
  const { limits, workers, db } = deps
  const started = pending.filter(({ row }) => row.initial === 'claimed' || row.initial === 'tested')
  let inserted: Stored
  try {
    inserted = await insertPending(deps, events, pending, isFirst)
  } catch (error) {
    for (const { item } of started) limits.finish(item, 1)
    throw error
  }
  for (const { item } of pending) db.changes.note(item.tenantId, 'deliveries')
  for (const delivery of started) {
    const target = inserted.get(delivery.item.id)
    if (target) workers.take(delivery.item, toClaimed(delivery, target))
    else limits.finish(delivery.item, 1)
  }
}

/** The same value that a claim of the row returns. */
function toClaimed({ row, event }: PendingDelivery, target: DeliveryTarget): Claimed {
  return {
    ...target,
    disposition: row.initial === 'tested' && target.disposition === 'held' ? 'delivering' : target.disposition,
    schedulePosition: 0,
    body: renderBody({
      tenantId: event.tenantId,
      eventType: event.type,
      tenantEventId: event.id,
      traceId: row.traceId,
      businessUnitId: row.businessUnitId,
      payload: event.payload,
    }),
    tenantEventId: event.id,
    traceId: row.traceId,
    traceparent: event.traceparent ?? null,
    eventType: event.type,
  }
}

/** New deliveries by id, with the target of those to be claimed. */
type Stored = ReadonlyMap<string, DeliveryTarget | null>

/**
 * Returns the new deliveries. The first statement stores deliveries of new events only. A known event gets the
 * deliveries that its first fan-out may have missed. The event of a later page is known.
 */
async function insertPending(
  { db: { crossTenant: sql } }: WorkerDeps,
  events: readonly EventInsert[],
  pending: readonly PendingDelivery[],
  isFirst: boolean,
): Promise<Stored> {
  const rows = pending.map(({ row }) => row)
  const inserted = new Map<string, DeliveryTarget | null>()
  const add = (stored: readonly Inserted[]) => {
    for (const { ids, target } of stored) for (const id of ids) inserted.set(id, target)
  }
  if (isFirst) add(await insertDeliveries(sql, events, rows, { newEventsOnly: true }))
  const byNumber = new Map(events.map((event) => [event.number, event]))
  const repeated = rows.flatMap(({ id: deliveryId, number, subscriptionId }) => {
    const event = byNumber.get(number)
    if (event === undefined || inserted.has(deliveryId)) return []
    const { tenantId, id: eventId, occurredAt } = event
    return [{ deliveryId, subscriptionId, tenantId, eventId, occurredAt }]
  })
  if (repeated.length === 0) return inserted
  const entitled = new Set(await listEntitled(sql, repeated))
  const missed = rows.filter(({ id }) => entitled.has(id))
  const numbers = new Set(missed.map(({ number }) => number))
  const missedEvents = events.filter(({ number }) => numbers.has(number))
  if (missed.length > 0) add(await insertDeliveries(sql, missedEvents, missed))
  return inserted
}
