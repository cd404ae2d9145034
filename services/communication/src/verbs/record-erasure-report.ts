import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { copiesReport, copiesReportType, erasureReport } from '@payments/contracts/nouns/payer-erasure'
import type { Deps } from '../deps.ts'
import { isComplete } from '../domain/payer-erasure.ts'
import type { Tx } from '../store/database.ts'
import { completeRequest, listReports, lockRequest, storeCopiesReport, storeReport } from '../store/payer-erasures.ts'

/**
 * Records what a service has erased, and completes the erasure with the last missing report of a first pass. Reports
 * arrive in any order, and more than once; those of second passes arrive after the completion.
 * Throws invalid_request for another payload.
 */
export async function recordErasureReport({ db }: Pick<Deps, 'db'>, event: EventMessage): Promise<void> {
  const { tenant_id: tenantId } = event
  const { erasureId, store } = readReport(event)
  await db.inTenant(tenantId, async (tx) => {
    const request = await lockRequest(tx, tenantId, erasureId)
    if (request === null) return
    await store(tx)
    if (request.completedAt !== null) return
    if (isComplete(await listReports(tx, [request]))) await completeRequest(tx, tenantId, request)
  })
}

function readReport({ id, type, tenant_id: tenantId, payload }: EventMessage) {
  if (type === copiesReportType) {
    const { erasure_id: erasureId, report_id: reportId } = parsed(copiesReport.safeParse(payload))
    return { erasureId, store: (tx: Tx) => storeCopiesReport(tx, tenantId, { erasureId, reportId }) }
  }
  const report = parsed(erasureReport.safeParse(payload))
  const { erasure_id: erasureId, service, resource_ids: resources, is_last: isLast } = report
  const row = { id, erasureId, service, resources: resources.length, isLast }
  return { erasureId, store: (tx: Tx) => storeReport(tx, tenantId, row) }
}

function parsed<T>(read: { success: true; data: T } | { success: false; error: unknown }): T {
  if (read.success) return read.data
  throw new Problem(commonProblems.invalid_request, { detail: 'The report has another payload', cause: read.error })
}
