import { createTurns } from '@payments/chassis/database/turns'
import { type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import type { Broker } from '../broker/broker.ts'
import { listPatterns } from '../domain/event/event-type.ts'
import { type EventInsert, matchSubscriptions } from '../store/event/fan-out.ts'
import * as fanOuts from '../store/event/unfinished-fan-outs.ts'
import { createDeliveries } from './create-deliveries.ts'
import type { WorkerDeps } from './deps.ts'
import { startSpan, takePage } from './fan-out.ts'

const rowsMax = 100
/** Of the bodies that the statement of a page may render. */
const bodyBytesMax = 8 * 1024 * 1024
/** Pages in progress per process. Each keeps one connection busy, of 20 that all work of the dispatcher shares. */
const pagesMax = 4
/** One page needs longer than its claim, so a second one of the same tenant would gain little. */
const pagesPerTenantMax = 1

/**
 * **What it does.** Creates the deliveries of events that have more subscriptions than the first page of fan-out, one
 * page of one event at a time.
 *
 * **Guarantees.**
 * 1. Tenants take turns, so an event waits for one page of each other one.
 * 2. The row moves after its page is stored and published. A killed dispatcher leaves the page to another one, after
 *    the lease, whose end identifies the claim.
 * 3. A row ends with its last page, or with its event at the end of the retention period.
 *
 * **Not guaranteed.** The order of pages of different events. Work without the broker.
 */
export function startFanOutLoop(deps: WorkerDeps, broker: Pick<Broker, 'check'>): ClaimLoop {
  return startClaimLoop({
    name: 'unfinished fan-outs',
    db: deps.db,
    turns: createTurns('unfinished_fan_outs'),
    isReady: async () => (await broker.check()) === null,
    claim: fanOuts.claim,
    attempt: (claimed) => storePage(deps, claimed),
    logFields: ({ tenantId, tenantEventId }) => ({ tenant_id: tenantId, event_id: tenantEventId }),
    permitsMax: pagesMax,
    perTenantMax: pagesPerTenantMax,
    log: deps.log,
  })
}

/** Stores one page of a claimed fan-out, and moves or deletes its row. */
async function storePage(deps: WorkerDeps, fanOut: fanOuts.UnfinishedFanOut): Promise<void> {
  const { crossTenant: sql } = deps.db
  const event = await fanOuts.findEvent(sql, fanOut)
  if (event === null) {
    await fanOuts.finish(sql, fanOut)
    return
  }
  const { tenantId, tenantEventId: id, occurredAt } = fanOut
  const insert = { ...event, number: 0, id, tenantId, occurredAt: occurredAt.toISOString() }
  const span = startSpan(insert, fanOut.traceparent)
  try {
    const { stored, continueAfter } = await storeMatches(deps, { ...insert, traceparent: span?.traceparent }, fanOut)
    const deliveries = fanOut.deliveries + stored
    if (continueAfter !== null) await fanOuts.advance(sql, fanOut, { position: continueAfter, deliveries })
    else if (await fanOuts.finish(sql, fanOut)) logEnd(deps, insert, deliveries)
    span?.end({ 'payments.deliveries': stored })
  } catch (error) {
    span?.end({}, 'error')
    throw error
  }
}

/** Returns the number of deliveries of the page, and where the next page begins. */
async function storeMatches(
  deps: WorkerDeps,
  event: EventInsert,
  { position }: fanOuts.UnfinishedFanOut,
): Promise<{ stored: number; continueAfter: string | null }> {
  const { number, tenantId, businessUnitId, type, payload } = event
  const pageMax = Math.min(rowsMax, Math.max(1, Math.floor(bodyBytesMax / Buffer.byteLength(payload))))
  // A test event names one subscription, so it has one page.
  const query = { number, tenantId, businessUnitId, only: null, patterns: listPatterns(type), after: position }
  const found = await matchSubscriptions(deps.db.crossTenant, [{ ...query, limit: pageMax + 1 }])
  const { matches, continueAfter } = takePage(found, pageMax)
  if (matches.length > 0) await createDeliveries(deps, [event], matches, { isFirst: false })
  return { stored: matches.length, continueAfter }
}

function logEnd({ log }: WorkerDeps, { id, type, tenantId, traceId }: EventInsert, deliveries: number): void {
  const ids = { trace_id: traceId, event_id: id, event_type: type, tenant_id: tenantId }
  log.info({ ...ids, deliveries }, 'last page of the event')
}
