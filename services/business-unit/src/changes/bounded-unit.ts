import { Problem } from '@payments/contracts/grammar/problem'
import {
  createdPaymentOrchestratorBytesMax,
  problems,
  storedPaymentOrchestratorBytesMax,
} from '@payments/contracts/services/business-unit/contract'
import { countTextBytes, type PaymentOrchestratorFacts } from '../domain/payment-orchestrator.ts'
import type { Tx } from '../store/database.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/** Bytes above the bound of creations, for changes of existing payment orchestrators. */
const changeReserveBytes = 64 * 1024

/** Throws too_many_payment_orchestrators. Call it after the creation. */
export async function requireCapacityForCreation(tx: Tx, tenantId: string, businessUnitId: string): Promise<void> {
  const bytes = await orchestrators.countBytes(tx, tenantId, businessUnitId)
  if (bytes.notDeleted > createdPaymentOrchestratorBytesMax) {
    throw tooManyBytes('The payment orchestrators of the business unit have at most 128 KiB as JSON')
  }
  if (bytes.stored <= storedPaymentOrchestratorBytesMax) return
  throw tooManyBytes(
    'The payment orchestrators of the business unit, deleted ones included, have at most 256 KiB as JSON',
  )
}

/**
 * Throws too_many_payment_orchestrators for a change that makes the texts longer, and for no other: credentials, status
 * and default can change in a unit of any size. Call it after the change.
 */
export async function requireCapacityForChange(
  tx: Tx,
  tenantId: string,
  { before, after }: { readonly before: PaymentOrchestratorFacts; readonly after: PaymentOrchestratorFacts },
): Promise<void> {
  if (countTextBytes(after) <= countTextBytes(before)) return
  const { stored } = await orchestrators.countBytes(tx, tenantId, after.businessUnitId)
  if (stored <= storedPaymentOrchestratorBytesMax + changeReserveBytes) return
  throw tooManyBytes(
    'The payment orchestrators of the business unit, deleted ones included, have at most 320 KiB as JSON',
  )
}

const tooManyBytes = (detail: string) => new Problem(problems.too_many_payment_orchestrators, { detail })
