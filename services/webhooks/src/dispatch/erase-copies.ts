import type { Turns } from '@payments/chassis/database/turns'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { copiesReportType, erasureReport } from '@payments/contracts/nouns/payer-erasure'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { withoutPayer } from '@payments/payer-erasure/payer-data'
import { isErasureReport } from '../domain/internal-event.ts'
import type { Database } from '../store/database.ts'
import { endSecondPass, insertErasedResources, lockEventsOf, replaceCopies } from '../store/erased-resources.ts'

/** Longer than fan-out of an event in progress lasts. */
const againMs = 15 * 60_000
/** Of one transaction. */
const eventsMax = 100
/** 100 000 events of 200 resources, within the time that a message may take. */
const batchesMax = 1_000

/**
 * **What it does.** Erases payers from events, deliveries and attempts: the copies of resources that a service erased.
 *
 * **Participants.** The reports of services; `erased_resources`, which fan-out reads; communication, which gets the
 * report about the copies.
 *
 * **Guarantees.**
 * 1. The ids of the resources are stored first: an event that fan-out stores afterwards is stored without the payer.
 * 2. An event that fan-out was storing at that moment is found by a second pass, 15 minutes later.
 * 3. Deliveries that are not final yet send the body without the payer.
 *
 * **Not guaranteed.** Requests that were sent: what a receiver got is the receiver's.
 */
export async function processInternalEvent({ db }: { readonly db: Database }, event: EventMessage): Promise<void> {
  // Requests, and our own reports, are for other services.
  if (!isErasureReport(event.type)) return
  const { id: reportId, tenant_id: tenantId, trace_id: traceId } = event
  const parsed = erasureReport.safeParse(event.payload)
  if (!parsed.success) {
    throw new Problem(commonProblems.invalid_request, { detail: 'The report has another payload', cause: parsed.error })
  }
  const { erasure_id, resource_ids: resourceIds } = parsed.data
  await db.inTenant(tenantId, (tx) => insertErasedResources(tx, tenantId, resourceIds, againMs))
  await eraseCopies(db, tenantId, resourceIds)
  const payload = { erasure_id, report_id: reportId }
  const report = { type: copiesReportType, tenantId, businessUnitId: null, traceId, payload } as const
  await db.inTenant(tenantId, (tx) => emit(tx, webhooks.internalEvents, report))
}

async function eraseCopies(db: Database, tenantId: string, resourceIds: readonly string[]): Promise<void> {
  let after: string | null = null
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const events = await db.inTenant(tenantId, async (tx) => {
      const found = await lockEventsOf(tx, tenantId, resourceIds, { after, rowsMax: eventsMax })
      for (const event of found) await replaceCopies(tx, tenantId, { ...event, payload: redacted(event.payload) })
      return found
    })
    if (events.length < eventsMax) return
    after = events.at(-1)?.tenantEventId ?? null
  }
  throw new Error(`${resourceIds.length} erased resources have more than ${batchesMax * eventsMax} events`)
}

/** JSON text without payers. */
export const redacted = (payload: string): string => JSON.stringify(withoutPayer(JSON.parse(payload)))

const allowance = { limit: 200, perTenantMax: 100 }
const runsMax = 20

/** Erases what fan-out stored while the first pass ran. Tenants take turns. */
export async function repeatErasures({ db }: { readonly db: Database }, turns: Turns): Promise<void> {
  for (let run = 0; run < runsMax; run += 1) {
    const { rows, mayBeMore } = await turns.findDue(db.crossTenant, new Date(), allowance)
    for (const tenantId of new Set(rows.map((row) => row.tenantId))) {
      const ids = rows.filter((row) => row.tenantId === tenantId).map(({ id }) => id)
      await eraseCopies(db, tenantId, ids)
      await db.inTenant(tenantId, (tx) => endSecondPass(tx, tenantId, ids))
    }
    if (!mayBeMore) return
  }
}
