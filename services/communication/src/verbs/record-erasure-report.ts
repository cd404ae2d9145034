import { databaseNow } from '@payments/chassis/database/database-now'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { erasureReport } from '@payments/contracts/nouns/payer-erasure'
import type { Deps } from '../deps.ts'
import { isComplete, withReport } from '../domain/payer-erasure.ts'
import { lockRequest, recordServices } from '../store/payer-erasures.ts'

/**
 * Records what a service has erased, and completes the erasure with the report of the last service. Reports arrive in
 * any order, and more than once.
 * Throws invalid_request for another payload.
 */
export async function recordErasureReport(
  { db }: Pick<Deps, 'db'>,
  { tenant_id: tenantId, payload }: Pick<EventMessage, 'tenant_id' | 'payload'>,
): Promise<void> {
  const { success, data: report, error: cause } = erasureReport.safeParse(payload)
  if (!success) throw new Problem(commonProblems.invalid_request, { detail: 'The report has another payload', cause })
  const { erasure_id: id } = report
  await db.inTenant(tenantId, async (tx) => {
    const request = await lockRequest(tx, tenantId, id)
    if (request === null) return
    const now = await databaseNow(tx)
    const services = withReport(request.services, report, now)
    const completedAt = request.completedAt ?? (isComplete(services) ? now : null)
    await recordServices(tx, tenantId, { id, services, completedAt })
  })
}
