import { type Page, type PageQuery, pageAt, positionBehind } from '@payments/contracts/grammar/page'
import type { RecordedOperation } from '@payments/contracts/services/payment-proxy/operators'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { findRecordedOperations } from '../store/operator-lists.ts'

const position = z.tuple([z.uuid()])

/** Operations of a business unit in our books, for reconciliation. */
export async function listRecordedOperations(
  deps: Deps,
  { limit, cursor, business_unit_id: businessUnitId, from, to }: PageQuery & { business_unit_id: string } & Period,
): Promise<Page<RecordedOperation>> {
  const [after] = positionBehind(cursor, position) ?? []
  const rows = await deps.db.acrossTenants((tx) =>
    findRecordedOperations(tx, { businessUnitId, from, to, after, limit }),
  )
  const toPosition = ({ id }: { id: string }) => [id]
  return pageAt(rows, limit, toPosition, (row) => ({
    operation_id: row.id,
    transaction_id: row.transactionId,
    payment_orchestrator_id: row.paymentOrchestratorId,
    provider_reference: row.providerReference,
    type: row.type,
    state: row.state,
    amount: row.amount,
    currency: row.currency,
    created_at: row.createdAt.toISOString(),
  }))
}

interface Period {
  readonly from: Date
  readonly to: Date
}
