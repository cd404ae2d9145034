import { randomUUID } from 'node:crypto'
import type { EventMessage } from '@payments/contracts/event'
import type { DispatcherDeps } from '../deps.ts'
import { renderBody } from '../domain/delivery-body.ts'
import { deliveryIdOf } from '../domain/delivery-id.ts'
import { patternsOf, targetOf } from '../domain/event-type.ts'
import { sweepAfterMs } from '../domain/next.ts'
import { jittered } from '../domain/schedule.ts'
import type { Sql } from '../store/database.ts'
import { type Matching, matchSubscriptions } from '../store/subscriptions.ts'
import { insertDeliveries, listUnbegun, type WorkItem } from '../store/work.ts'

/**
 * One event becomes one delivery per matching subscription; then a message per delivery sends a worker.
 *
 * An event comes at least once, and each statement here can be repeated: a delivery that exists is left alone. So no
 * transaction is needed, which would cost more than the work. The second time, those whose first attempt is not made get
 * another message, since the first may never have been sent: a crash anywhere loses nothing, and a worker that is sent twice
 * finds the attempt made.
 */
export async function fanOut(deps: DispatcherDeps, event: EventMessage): Promise<void> {
  const base = deps.schedule[0] ?? 0
  const delayMs = base === 0 ? 0 : jittered(base, Math.random())
  const queued = deps.queues.carries(delayMs)
  const wait = { firstDelayMs: delayMs, queued, sweepAfterMs: sweepAfterMs(delayMs, queued) }
  const { sql } = deps.db
  const { inserted, matched } = await insertAll(sql, event, wait)
  const work = inserted.length === matched ? inserted : await listUnbegun(sql, event.tenant_id, event.id)
  if (queued) await Promise.all(work.map((item) => deps.queues.enqueue(item, delayMs)))
  deps.log.info(
    { event_id: event.id, event_type: event.type, tenant_id: event.tenant_id, deliveries: work.length },
    'event',
  )
}

const subscriptionsMax = 100
const bytesMax = 8 * 1024 * 1024
const pagesMax = 10_000
const noId = '00000000-0000-0000-0000-000000000000'

type Wait = Parameters<typeof insertDeliveries>[4]

/** Page by page, so that neither many subscriptions nor a large payload make a statement too large. */
async function insertAll(
  sql: Sql,
  event: EventMessage,
  wait: Wait,
): Promise<{ inserted: WorkItem[]; matched: number }> {
  const patterns = patternsOf(event.type)
  const row = { tenantEventId: event.id, eventType: event.type, occurredAt: event.occurred_at }
  const bodyBytes = Buffer.byteLength(JSON.stringify(event.payload))
  const limit = Math.max(1, Math.min(subscriptionsMax, Math.floor(bytesMax / bodyBytes)))
  const inserted: WorkItem[] = []
  let matched = 0
  let after = noId
  for (let page = 0; page < pagesMax; page += 1) {
    const sought = { businessUnitId: event.business_unit_id, only: targetOf(event), patterns, after, limit }
    const matching = await matchSubscriptions(sql, event.tenant_id, sought)
    const last = matching.at(-1)
    if (last === undefined) break
    const inserts = matching.map((subscription) => deliveryOf(event, subscription))
    inserted.push(...(await insertDeliveries(sql, event.tenant_id, row, inserts, wait)))
    matched += matching.length
    if (matching.length < limit) break
    after = last.id
  }
  return { inserted, matched }
}

function deliveryOf(event: EventMessage, subscription: Matching) {
  const traceId = randomUUID()
  const body = renderBody({
    traceId,
    tenantId: event.tenant_id,
    eventType: event.type,
    payload: event.payload,
    businessUnitId: subscription.businessUnitId,
    tenantEventId: event.id,
  })
  const id = deliveryIdOf({ id: event.id, occurredAt: new Date(event.occurred_at) }, subscription.id)
  return { id, subscriptionId: subscription.id, businessUnitId: subscription.businessUnitId, traceId, body }
}
