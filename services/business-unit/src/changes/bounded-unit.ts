import { Problem } from '@payments/contracts/grammar/problem'
import { problems, storedPaymentOrchestratorBytesMax } from '@payments/contracts/services/business-unit/contract'
import type { Tx } from '../store/database.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/** Throws too_many_payment_orchestrators. Call it after the write. */
export async function requireBoundedUnit(tx: Tx, tenantId: string, businessUnitId: string): Promise<void> {
  const bytes = await orchestrators.countBytes(tx, tenantId, businessUnitId)
  if (bytes <= storedPaymentOrchestratorBytesMax) return
  const detail = 'The payment orchestrators of the business unit, deleted ones included, have at most 256 KiB as JSON'
  throw new Problem(problems.too_many_payment_orchestrators, { detail })
}
