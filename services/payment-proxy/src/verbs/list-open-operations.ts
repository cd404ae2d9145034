import { type Page, type PageQuery, pageAt, positionBehind } from '@payments/contracts/grammar/page'
import type { OpenOperation } from '@payments/contracts/services/payment-proxy/operators'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { presentState } from '../domain/operation.ts'
import { findOpenOperations, type OpenRow } from '../store/operator-lists.ts'

const position = z.tuple([z.uuid()])

/** Operations of all tenants whose outcome is not known, oldest first. */
export async function listOpenOperations(
  deps: Deps,
  { limit, cursor, tenant_id: tenantId }: PageQuery & { tenant_id?: string | undefined },
): Promise<Page<OpenOperation>> {
  const [after] = positionBehind(cursor, position) ?? []
  const rows = await deps.db.acrossTenants((tx) => findOpenOperations(tx, { tenantId, after, limit }))
  const now = deps.now()
  const toPosition = ({ id }: OpenRow) => [id]
  return pageAt(rows, limit, toPosition, (row) => presentOpenOperation(row, now))
}

function presentOpenOperation(row: OpenRow, now: Date): OpenOperation {
  return {
    id: row.id,
    tenant_id: row.tenantId,
    business_unit_id: row.businessUnitId,
    payment_orchestrator_id: row.paymentOrchestratorId,
    transaction_id: row.transactionId,
    type: row.type,
    state: presentState(row, now) as OpenOperation['state'],
    reason: row.openReason,
    amount: row.amount,
    currency: row.currency,
    provider_reference: row.providerReference,
    attempt_count: row.attemptCount,
    created_at: row.createdAt.toISOString(),
    due_at: row.dueAt.toISOString(),
    trace_id: row.traceId,
  }
}
