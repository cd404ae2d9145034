import type { RequestOf } from '@payments/contracts/grammar/contract'
import { type Page, pageAt, positionBehind } from '@payments/contracts/grammar/page'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { OpenOperation, RecordedOperation } from '@payments/contracts/services/payment-proxy/operators'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { presentState } from '../domain/operation.ts'
import { findOpenOperations, findRecordedOperations, type MovedRow } from '../store/operator-lists.ts'

type Query<Name extends 'listOpenOperations' | 'listRecordedOperations'> = RequestOf<
  (typeof paymentProxy.endpoints)[Name]
>['query']

/** Operations of all tenants whose outcome is not known, oldest first. */
export async function listOpenOperations(
  deps: Deps,
  { limit, cursor, tenant_id: tenantId }: Query<'listOpenOperations'>,
): Promise<Page<OpenOperation>> {
  const after = readPosition(cursor)
  const rows = await deps.db.acrossTenants((tx) => findOpenOperations(tx, { tenantId, after, limit }))
  const now = deps.now()
  return pageAt(rows, limit, toPosition, (row) => ({
    id: row.id,
    tenant_id: row.tenantId,
    business_unit_id: row.businessUnitId,
    ...presentMoved(row),
    state: presentState(row, now) as OpenOperation['state'],
    reason: row.openReason,
    attempt_count: row.attemptCount,
    due_at: row.dueAt.toISOString(),
    trace_id: row.traceId,
  }))
}

/** Operations of a business unit in our books, for reconciliation. */
export async function listRecordedOperations(
  deps: Deps,
  { limit, cursor, business_unit_id: businessUnitId, from, to }: Query<'listRecordedOperations'>,
): Promise<Page<RecordedOperation>> {
  const search = { businessUnitId, from, to, after: readPosition(cursor), limit }
  const rows = await deps.db.acrossTenants((tx) => findRecordedOperations(tx, search))
  return pageAt(rows, limit, toPosition, (row) => ({
    operation_id: row.id,
    ...presentMoved(row),
    state: row.state,
  }))
}

const position = z.tuple([z.uuid()])

const readPosition = (cursor: string | undefined) => positionBehind(cursor, position)?.[0]

const toPosition = ({ id }: MovedRow) => [id]

const presentMoved = (row: MovedRow) => ({
  transaction_id: row.transactionId,
  payment_orchestrator_id: row.paymentOrchestratorId,
  provider_reference: row.providerReference,
  type: row.type,
  amount: row.amount,
  currency: row.currency,
  created_at: row.createdAt.toISOString(),
})
