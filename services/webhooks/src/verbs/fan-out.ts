import { randomUUID } from 'node:crypto'
import type { EventMessage } from '@payments/contracts/event'
import type { FinderDeps } from '../deps.ts'
import { bodyFrame, bodyIn } from '../domain/delivery-body.ts'
import { deliveryIdOf } from '../domain/delivery-id.ts'
import { patternsOf, targetOf } from '../domain/event-type.ts'
import { leaseMs } from '../domain/lease.ts'
import { sweepAfterMs } from '../domain/next.ts'
import { jittered } from '../domain/schedule.ts'
import type { WorkItem } from '../domain/work-item.ts'
import type { Receiver } from '../egress/traffic.ts'
import type { Claimed, Judged } from '../store/claim.ts'
import {
  type DeliveryInsert,
  type EventInsert,
  type FirstWait,
  type Inserted,
  insertDeliveries,
  insertDeliveriesOfUnseen,
  listEntitled,
  listUnbegun,
  type Matching,
  matchSubscriptions,
} from '../store/fan-out.ts'

/**
 * Each event becomes one delivery per matching subscription, and this process works on them at once, as far as it can. The events
 * that came together share statements.
 *
 * An event comes at least once, and each statement here can be repeated: a delivery's id is derived from its event and its
 * subscription, so one that exists is left alone. So no transaction is needed, which would cost more than the work. What this process
 * takes is claimed as it is stored: the sweeper takes it up when the lease is over and nothing has become of it. Where a message
 * brings what is due, it is sent again, since who was to send it may have died. So a crash anywhere loses nothing. A subscription
 * that was made after its tenant's event was first seen gets nothing of it, however often it comes (a broker that lost its disk is given all events of a day again).
 * One whose filter has been changed meanwhile gets what it would have got with the present one.
 *
 * A delivery is taken only while the windows of the subscription and of the tenant have room, and this process has workers free. What
 * has to wait starts in the line of its destination (store/line.ts), where any dispatcher finds it and it stands in nobody's way.
 */
export async function fanOut(deps: FinderDeps, together: readonly EventMessage[]): Promise<undefined[]> {
  await deps.workers.room(roomWaitMs)
  const events = [...new Map(together.map((event) => [`${event.tenant_id}/${event.id}`, event])).values()]
  const made = new Array<number>(events.length).fill(0)
  const inserts = events.map(insertOf)
  let sought = events.map((event, number) => soughtOf(event, number, noId))
  for (let page = 0; page < pagesMax && sought.length > 0; page += 1) {
    const matching = await matchSubscriptions(deps.db.sql, sought)
    for (const share of sharesOf(inserts, matching, page === 0)) await store(deps, share, page === 0)
    sought = []
    for (const [number, own] of groupByEvent(matching)) {
      made[number] = (made[number] ?? 0) + own.length
      const [event, last] = [events[number], own.at(-1)]
      if (event !== undefined && last !== undefined && own.length >= pageMax)
        sought.push(soughtOf(event, number, last.id))
    }
  }
  for (const [number, { id, type, tenant_id }] of events.entries()) {
    deps.log.info({ event_id: id, event_type: type, tenant_id, deliveries: made[number] }, 'event')
  }
  return together.map(() => undefined)
}

/** What is taken is written twice, what starts in a line three times; but who hangs must not keep others' events waiting for long. */
const roomWaitMs = 100
const pageMax = 100
const pagesMax = 10_000
const rowsMax = 1_000
const bytesMax = 8 * 1024 * 1024
const noId = '00000000-0000-0000-0000-000000000000'

function soughtOf(event: EventMessage, number: number, after: string) {
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

/** What one statement stores. */
interface Share {
  readonly events: EventInsert[]
  readonly matching: Matching[]
  bytes: number
}

/** Neither many subscriptions nor large payloads make a statement too large. `all`: events that nothing matches are stored too. */
function sharesOf(events: readonly EventInsert[], matching: readonly Matching[], all: boolean): Share[] {
  const shares: Share[] = []
  const byEvent = groupByEvent(matching)
  const open = (bytes: number): Share => {
    const last = shares.at(-1)
    if (last !== undefined && last.matching.length < rowsMax && last.bytes + bytes <= bytesMax) return last
    const share = { events: [], matching: [], bytes: 0 }
    shares.push(share)
    return share
  }
  for (const event of events) {
    const own = byEvent.get(event.number) ?? []
    if (own.length === 0 && !all) continue
    for (const match of own.length === 0 ? [undefined] : own) {
      const share = open(event.payload.length)
      if (share.events.at(-1) !== event) share.events.push(event)
      if (match !== undefined) share.matching.push(match)
      share.bytes += event.payload.length
    }
  }
  return shares
}

function groupByEvent(matching: readonly Matching[]): Map<number, Matching[]> {
  const groups = new Map<number, Matching[]>()
  for (const match of matching) {
    const group = groups.get(match.number)
    if (group === undefined) groups.set(match.number, [match])
    else group.push(match)
  }
  return groups
}

/** A delivery that is not stored yet, and what would send a worker to it. */
interface Prospect {
  readonly work: WorkItem
  readonly row: DeliveryInsert
  readonly event: EventInsert
}

async function store(deps: FinderDeps, share: Share, isFirst: boolean): Promise<void> {
  const base = deps.schedule[0] ?? 0
  const wait = firstWait(deps, base === 0 ? 0 : jittered(base, Math.random()))
  const { traffic } = deps.egress
  let free = deps.workers.free()
  const placeOf = (receiver: Receiver, held: boolean): DeliveryInsert['place'] => {
    if (held) return 'held'
    if (wait.firstDelayMs > 0) return wait.queued ? 'sent' : 'resting'
    if (free > 0 && traffic.reserve(receiver)) {
      free -= 1
      return 'taken'
    }
    traffic.lined(receiver)
    return 'lined'
  }
  const prospects = prospectsOf(share, placeOf)
  const taken = prospects.filter(({ row }) => row.place === 'taken')
  let inserted: Stored
  try {
    inserted = await insertProspects(deps, share.events, prospects, { wait, isFirst })
  } catch (error) {
    for (const { work } of taken) traffic.release(work, 1)
    throw error
  }
  for (const prospect of taken) {
    const judged = inserted.get(prospect.work.id)
    if (judged) deps.workers.take(prospect.work, claimedOf(prospect, judged))
    else traffic.release(prospect.work, 1)
  }
  if (!wait.queued) return
  const known = prospects.filter(({ work }) => !inserted.has(work.id)).map(({ work }) => work.id)
  const again = known.length === 0 ? [] : await listUnbegun(deps.db.sql, known)
  const sent = prospects.filter(({ work, row }) => row.place === 'sent' && inserted.has(work.id))
  const messages = [...sent.map(({ work }) => work), ...again]
  await Promise.all(messages.map((work) => deps.queues.enqueue(work, wait.firstDelayMs)))
}

/** What a claim of its row would bring. */
function claimedOf({ row, event }: Prospect, judged: Judged): Claimed {
  return {
    ...judged,
    schedulePosition: 0,
    body: bodyIn(event, { traceId: row.traceId, payload: event.payload, businessUnitId: row.businessUnitId }),
    tenantEventId: event.id,
    traceId: row.traceId,
    eventType: event.type,
  }
}

/** `queued`: a message brings it back. What is due at once needs none. */
function firstWait({ queues }: FinderDeps, firstDelayMs: number): FirstWait & { readonly queued: boolean } {
  if (firstDelayMs === 0) return { firstDelayMs, sweepAfterMs: leaseMs, queued: false }
  const queued = queues.carries(firstDelayMs)
  return { firstDelayMs, sweepAfterMs: sweepAfterMs(firstDelayMs, queued), queued }
}

function prospectsOf(
  { events, matching }: Share,
  placeOf: (receiver: Receiver, held: boolean) => DeliveryInsert['place'],
): Prospect[] {
  const byNumber = new Map(events.map((event) => [event.number, event]))
  return matching.flatMap(({ number, id: subscriptionId, businessUnitId, held }) => {
    const event = byNumber.get(number)
    if (event === undefined) return []
    const { tenantId } = event
    const place = placeOf({ tenantId, subscriptionId }, held)
    const id = deliveryIdOf({ id: event.id, occurredAt: new Date(event.occurredAt) }, subscriptionId)
    const work = { id, tenantId, subscriptionId, attemptCount: 0 }
    return [{ work, event, row: { id, number, subscriptionId, businessUnitId, traceId: randomUUID(), place } }]
  })
}

/** The deliveries that were not there, by id, with what the statement that stored each found out, where it was to be taken. */
type Stored = ReadonlyMap<string, Judged | null>

/**
 * Returns those that were not there. What is not stored at once belongs to an event that was seen before: of that, only
 * what its first fan-out may have left undone. The later pages of an event are such from the beginning.
 */
async function insertProspects(
  { db: { sql } }: FinderDeps,
  events: readonly EventInsert[],
  prospects: readonly Prospect[],
  { wait, isFirst }: { wait: FirstWait; isFirst: boolean },
): Promise<Stored> {
  const rows = prospects.map(({ row }) => row)
  const inserted = new Map<string, Judged | null>()
  const note = (stored: readonly Inserted[]) => {
    for (const { ids, judged } of stored) for (const id of ids) inserted.set(id, judged)
  }
  if (isFirst) note(await insertDeliveriesOfUnseen(sql, events, rows, wait))
  const byNumber = new Map(events.map((event) => [event.number, event]))
  const repeated = rows.flatMap(({ id: deliveryId, number, subscriptionId }) => {
    const event = byNumber.get(number)
    if (event === undefined || inserted.has(deliveryId)) return []
    const { tenantId, id: eventId, occurredAt } = event
    return [{ deliveryId, subscriptionId, tenantId, eventId, occurredAt }]
  })
  if (repeated.length === 0) return inserted
  const entitled = new Set(await listEntitled(sql, repeated))
  const left = rows.filter(({ id }) => entitled.has(id))
  const numbers = new Set(left.map(({ number }) => number))
  const theirs = events.filter(({ number }) => numbers.has(number))
  if (left.length > 0) note(await insertDeliveries(sql, theirs, left, wait))
  return inserted
}
