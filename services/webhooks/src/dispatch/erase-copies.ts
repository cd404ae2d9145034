import { runDueBatches } from '@payments/chassis/database/due-batches'
import type { Turns } from '@payments/chassis/database/turns'
import type { Log } from '@payments/chassis/observability/log'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { copiesReportType, erasureReport } from '@payments/contracts/nouns/payer-erasure'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { withoutPayer } from '@payments/payer-erasure/payer-data'
import { isErasureReport } from '../domain/internal-event.ts'
import {
  type CopyErasure,
  type CopyErasureRow,
  continueCopyErasure,
  endCopyErasure,
  insertCopyErasure,
  readCopyErasure,
} from '../store/copy-erasures.ts'
import type { Database, Tx } from '../store/database.ts'
import { insertErasedResources, lockEventsOf, replaceCopies } from '../store/erased-resources.ts'

/** Longer than fan-out of an event in progress lasts. */
const secondPassMs = 15 * 60_000
const passes = 2
/** Of one transaction. */
const eventsMax = 50

/**
 * **What it does.** Erases payers from events, deliveries and attempts: the copies of resources that a service erased.
 *
 * **Participants.** Reports of services; `erased_resources`, which fan-out reads; `copy_erasures`, the work;
 * communication, which gets a report.
 *
 * **Guarantees.**
 * 1. A message only stores ids. An event that fan-out stores afterwards is stored without the payer, unless the report
 *    is of lower versions.
 * 2. Tenants take turns of one batch. An erasure that fails is due again later.
 * 3. An event that fan-out was storing at that moment is found by a second pass, 15 minutes later.
 * 4. Deliveries that are not final yet send the body without the payer.
 *
 * **Not guaranteed.** Requests that were sent: what a receiver got is the receiver's.
 */
export async function processInternalEvent({ db }: { readonly db: Database }, event: EventMessage): Promise<void> {
  // Requests, and our own reports, are for other services.
  if (!isErasureReport(event.type)) return
  const { id, tenant_id: tenantId, trace_id: traceId } = event
  const parsed = erasureReport.safeParse(event.payload)
  if (!parsed.success) {
    throw new Problem(commonProblems.invalid_request, { detail: 'The report has another payload', cause: parsed.error })
  }
  const { erasure_id: erasureId, resource_ids: resourceIds, versions_below: versionsBelow } = parsed.data
  const report = { id, tenantId, traceId, erasureId, resourceIds, versionsBelow }
  await db.inTenant(tenantId, async (tx) => {
    if (resourceIds.length === 0) return emitReport(tx, report)
    if (versionsBelow === null) await insertErasedResources(tx, tenantId, resourceIds)
    await insertCopyErasure(tx, report)
  })
}

/** Erases the copies that are due, batch by batch. */
export function eraseCopies(
  deps: { readonly db: Database; readonly log: Pick<Log, 'error'> },
  turns: Turns,
): Promise<void> {
  const runBatch = async (tx: Tx, id: string) => eraseBatch(tx, await readCopyErasure(tx, id))
  return runDueBatches(deps, { table: 'copy_erasures', turns, runBatch })
}

async function eraseBatch(tx: Tx, erasure: CopyErasureRow): Promise<void> {
  const { tenantId, resourceIds, versionsBelow, pass, position } = erasure
  const events = await lockEventsOf(tx, tenantId, resourceIds, { after: position, rowsMax: eventsMax })
  for (const event of events) {
    if (versionsBelow !== null && versionOf(event.payload) >= versionsBelow) continue
    await replaceCopies(tx, tenantId, { ...event, payload: redacted(event.payload) })
  }
  const last = events.length < eventsMax ? null : (events.at(-1)?.tenantEventId ?? null)
  if (last !== null) return continueCopyErasure(tx, { ...erasure, position: last }, 0)
  if (pass === passes) return endCopyErasure(tx, erasure)
  await emitReport(tx, erasure)
  await continueCopyErasure(tx, { ...erasure, pass: pass + 1, position: null }, secondPassMs)
}

async function emitReport(tx: Tx, { id, tenantId, traceId, erasureId }: CopyErasure): Promise<void> {
  const payload = { erasure_id: erasureId, report_id: id }
  await emit(tx, webhooks.internalEvents, { type: copiesReportType, tenantId, businessUnitId: null, traceId, payload })
}

const versionOf = (payload: string): number => JSON.parse(payload).version

/** JSON text without payers. */
export const redacted = (payload: string): string => JSON.stringify(withoutPayer(JSON.parse(payload)))
