import { randomUUID } from 'node:crypto'
import type { EventMessage } from '@payments/contracts/event'
import { bodyFrame, bodyIn } from '../domain/delivery-body.ts'
import { deliveryIdOf } from '../domain/delivery-id.ts'
import { patternsOf, targetOf } from '../domain/event-type.ts'
import { leaseMs } from '../domain/lease.ts'
import { sweepAfterMs } from '../domain/retry-policy.ts'
import { jittered } from '../domain/schedule.ts'
import type { WorkItem } from '../domain/work-item.ts'
import type { Destination } from '../egress/destination-limits.ts'
import type { Claimed, DeliveryTarget } from '../store/claim.ts'
import {
  type DeliveryInsert,
  type EventInsert,
  type FirstWait,
  type Inserted,
  insertDeliveries,
  listEntitled,
  listUnattempted,
  type MatchQuery,
  matchSubscriptions,
  type SubscriptionMatch,
} from '../store/fan-out.ts'
import type { WorkerDeps } from './deps.ts'

/**
 * What it does: creates one delivery per event and matching subscription, and gives as many as possible to the
 * workers of this process. Events of one batch share statements.
 *
 * Guarantees: an event arrives at least once, and every statement here can be repeated. The id of a delivery is
 * derived from its event and its subscription, so an existing delivery is left alone, and no transaction is needed. A
 * delivery for a worker is claimed as it is stored; the sweeper recovers it after an expired lease. Where a message
 * returns a delivery, the message is published again, because the first publisher may have been killed. So a crash
 * loses nothing.
 *
 * A subscription created after the first fan-out of an event does not receive it, however often the event is
 * published again. A filter that changed between two fan-outs of an event applies as it is now.
 *
 * A delivery is claimed only within the limits of its subscription and tenant, and while this process has capacity.
 * Every other delivery starts in the backlog (store/backlog.ts), where any dispatcher finds it.
 */
export async function fanOut(deps: WorkerDeps, batch: readonly EventMessage[]): Promise<undefined[]> {
  await deps.workers.waitForCapacity(capacityWaitMs)
  const events = [...new Map(batch.map((event) => [`${event.tenant_id}/${event.id}`, event])).values()]
  const counts = new Array<number>(events.length).fill(0)
  const inserts = events.map(insertOf)
  let queries = events.map((event, number) => queryOf(event, number, noId))
  for (let page = 0; page < pagesMax && queries.length > 0; page += 1) {
    const matches = await matchSubscriptions(deps.db.sql, queries)
    for (const insertBatch of batchesOf(inserts, matches, page === 0)) await store(deps, insertBatch, page === 0)
    queries = []
    for (const [number, own] of groupByEvent(matches)) {
      counts[number] = (counts[number] ?? 0) + own.length
      const [event, last] = [events[number], own.at(-1)]
      if (event !== undefined && last !== undefined && own.length >= pageMax) {
        queries.push(queryOf(event, number, last.id))
      }
    }
  }
  for (const [number, { id, type, tenant_id }] of events.entries()) {
    deps.log.info({ event_id: id, event_type: type, tenant_id, deliveries: counts[number] }, 'event')
  }
  return batch.map(() => undefined)
}

/** A claimed delivery is written twice, a backlogged one three times, so waiting saves work; but not for long. */
const capacityWaitMs = 100
const pageMax = 100
const pagesMax = 10_000
const rowsMax = 1_000
const bytesMax = 8 * 1024 * 1024
const noId = '00000000-0000-0000-0000-000000000000'

function queryOf(event: EventMessage, number: number, after: string): MatchQuery {
  const patterns = patternsOf(event.type)
  return {
    number,
    tenantId: event.tenant_id,
    businessUnitId: event.business_unit_id,
    only: targetOf(event),
    patterns,
    after,
    limit: pageMax,
  }
}

function insertOf(event: EventMessage, number: number): EventInsert {
  const facts = { tenantId: event.tenant_id, eventType: event.type, tenantEventId: event.id }
  return {
    ...bodyFrame(facts),
    number,
    id: event.id,
    tenantId: event.tenant_id,
    businessUnitId: event.business_unit_id,
    type: event.type,
    traceId: event.trace_id,
    occurredAt: event.occurred_at,
    payload: JSON.stringify(event.payload),
  }
}

/** The rows of one statement. */
interface InsertBatch {
  readonly events: EventInsert[]
  readonly matches: SubscriptionMatch[]
  bytes: number
}

/** Bounds the rows and bytes of a statement. `all`: events without a match are stored too. */
function batchesOf(events: readonly EventInsert[], matches: readonly SubscriptionMatch[], all: boolean): InsertBatch[] {
  const batches: InsertBatch[] = []
  const byEvent = groupByEvent(matches)
  const open = (bytes: number): InsertBatch => {
    const last = batches.at(-1)
    if (last !== undefined && last.matches.length < rowsMax && last.bytes + bytes <= bytesMax) return last
    const batch = { events: [], matches: [], bytes: 0 }
    batches.push(batch)
    return batch
  }
  for (const event of events) {
    const own = byEvent.get(event.number) ?? []
    if (own.length === 0 && !all) continue
    for (const match of own.length === 0 ? [undefined] : own) {
      const batch = open(event.payload.length)
      if (batch.events.at(-1) !== event) batch.events.push(event)
      if (match !== undefined) batch.matches.push(match)
      batch.bytes += event.payload.length
    }
  }
  return batches
}

function groupByEvent(matches: readonly SubscriptionMatch[]): Map<number, SubscriptionMatch[]> {
  const groups = new Map<number, SubscriptionMatch[]>()
  for (const match of matches) {
    const group = groups.get(match.number)
    if (group === undefined) groups.set(match.number, [match])
    else group.push(match)
  }
  return groups
}

/** A delivery that is not stored yet. */
interface PendingDelivery {
  readonly work: WorkItem
  readonly row: DeliveryInsert
  readonly event: EventInsert
}

async function store(deps: WorkerDeps, batch: InsertBatch, isFirst: boolean): Promise<void> {
  const base = deps.schedule[0] ?? 0
  const wait = firstWait(deps, base === 0 ? 0 : jittered(base, Math.random()))
  const { limits } = deps.egress
  let free = deps.workers.free()
  const initialOf = (destination: Destination, held: boolean): DeliveryInsert['initial'] => {
    if (held) return 'held'
    if (wait.firstDelayMs > 0) return wait.queued ? 'queued' : 'scheduled'
    if (free > 0 && limits.reserve(destination)) {
      free -= 1
      return 'claimed'
    }
    limits.markBacklogged(destination)
    return 'backlogged'
  }
  const pending = pendingOf(batch, initialOf)
  const claimed = pending.filter(({ row }) => row.initial === 'claimed')
  let inserted: Stored
  try {
    inserted = await insertPending(deps, batch.events, pending, { wait, isFirst })
  } catch (error) {
    for (const { work } of claimed) limits.unreserve(work, 1)
    throw error
  }
  for (const delivery of claimed) {
    const target = inserted.get(delivery.work.id)
    if (target) deps.workers.take(delivery.work, claimedOf(delivery, target))
    else limits.unreserve(delivery.work, 1)
  }
  if (!wait.queued) return
  const existing = pending.filter(({ work }) => !inserted.has(work.id)).map(({ work }) => work.id)
  const unattempted = existing.length === 0 ? [] : await listUnattempted(deps.db.sql, existing)
  const queued = pending.filter(({ work, row }) => row.initial === 'queued' && inserted.has(work.id))
  const messages = [...queued.map(({ work }) => work), ...unattempted]
  await Promise.all(messages.map((work) => deps.queues.enqueue(work, wait.firstDelayMs)))
}

/** The same value that a claim of the row returns. */
function claimedOf({ row, event }: PendingDelivery, target: DeliveryTarget): Claimed {
  return {
    ...target,
    schedulePosition: 0,
    body: bodyIn(event, { traceId: row.traceId, payload: event.payload, businessUnitId: row.businessUnitId }),
    tenantEventId: event.id,
    traceId: row.traceId,
    eventType: event.type,
  }
}

/** `queued`: a message returns the delivery. A delivery that is due needs none. */
function firstWait({ queues }: WorkerDeps, firstDelayMs: number): FirstWait & { readonly queued: boolean } {
  if (firstDelayMs === 0) return { firstDelayMs, sweepAfterMs: leaseMs, queued: false }
  const queued = queues.carries(firstDelayMs)
  return { firstDelayMs, sweepAfterMs: sweepAfterMs(firstDelayMs, queued), queued }
}

function pendingOf(
  { events, matches }: InsertBatch,
  initialOf: (destination: Destination, held: boolean) => DeliveryInsert['initial'],
): PendingDelivery[] {
  const byNumber = new Map(events.map((event) => [event.number, event]))
  return matches.flatMap(({ number, id: subscriptionId, businessUnitId, held }) => {
    const event = byNumber.get(number)
    if (event === undefined) return []
    const { tenantId } = event
    const initial = initialOf({ tenantId, subscriptionId }, held)
    const id = deliveryIdOf({ id: event.id, occurredAt: new Date(event.occurredAt) }, subscriptionId)
    const work = { id, tenantId, subscriptionId, attemptCount: 0 }
    return [{ work, event, row: { id, number, subscriptionId, businessUnitId, traceId: randomUUID(), initial } }]
  })
}

/** New deliveries by id, with the target of those to be claimed. */
type Stored = ReadonlyMap<string, DeliveryTarget | null>

/**
 * Returns the new deliveries. The first statement stores deliveries of new events only. A known event gets the
 * deliveries that its first fan-out may have missed. The later pages of an event are known from the start.
 */
async function insertPending(
  { db: { sql } }: WorkerDeps,
  events: readonly EventInsert[],
  pending: readonly PendingDelivery[],
  { wait, isFirst }: { wait: FirstWait; isFirst: boolean },
): Promise<Stored> {
  const rows = pending.map(({ row }) => row)
  const inserted = new Map<string, DeliveryTarget | null>()
  const add = (stored: readonly Inserted[]) => {
    for (const { ids, target } of stored) for (const id of ids) inserted.set(id, target)
  }
  if (isFirst) add(await insertDeliveries(sql, events, rows, wait, { newEventsOnly: true }))
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
  if (missed.length > 0) add(await insertDeliveries(sql, missedEvents, missed, wait))
  return inserted
}
