import { cursorAt, type Page, type PageQuery, positionBehind } from '@payments/contracts/grammar/page'
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
  const data = rows.slice(0, limit).map((row) => ({
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
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last !== undefined ? cursorAt([last.operation_id]) : null }
}

interface Period {
  readonly from: Date
  readonly to: Date
}
