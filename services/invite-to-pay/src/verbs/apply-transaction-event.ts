import { databaseNow } from '@payments/chassis/database/database-now'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { erased } from '@payments/contracts/nouns/payer-erasure'
import { payload, type Transaction } from '@payments/contracts/nouns/transaction'
import { isErased } from '@payments/service/payers/erasures'
import { recordSettlement } from '../code/change-code.ts'
import { newCodeSecret, storeCode } from '../code/store-code.ts'
import type { Deps } from '../deps.ts'
import { type CodeFacts, isOfOpenOperation } from '../domain/code.ts'
import { lifetimeOfInvitation } from '../domain/lifetime.ts'
import { findCaptureError, isOfCapture, settle } from '../domain/settle.ts'
import { findByTransaction, lockByTransaction, recordMessage } from '../store/codes.ts'
import type { Tx } from '../store/database.ts'

/**
 * Creates the code of a transaction with an invitation, and settles the code by the facts of the transaction. The end
 * of an operation clears the failure of a payment that was rejected because of it. The event only names the
 * transaction: its facts are read from payment-proxy, so an event of another sender completes nothing.
 * An erased payer gets no code, also before payment-proxy has erased the transaction, and by an event that is late.
 * Idempotent: the event creates the first code only, and a settled code is not settled again.
 * Throws invalid_request for another payload, transaction_not_found, service_unavailable.
 */
export async function applyTransactionEvent(
  deps: Pick<Deps, 'db' | 'vault' | 'sending' | 'paymentProxy' | 'payerHashKeys'>,
  { type, tenant_id: tenantId, trace_id: traceId, payload: written }: EventMessage,
): Promise<void> {
  const parsed = payload.safeParse(written)
  if (!parsed.success) {
    const detail = `The event ${type} does not have the documented payload`
    throw new Problem(commonProblems.invalid_request, { detail, cause: parsed.error })
  }
  const { i2p: isInvited, id: transactionId } = parsed.data.transaction
  if (!isInvited) return
  const params = { tenant_id: tenantId, transaction_id: transactionId }
  const transaction = await deps.paymentProxy.findTransaction({ traceId }, { params })
  const { i2p, capture } = transaction
  const invitation = transaction.invitation?.recipient === erased ? null : transaction.invitation
  const found = await deps.db.readInTenant(tenantId, (tx) => findByTransaction(tx, tenantId, transactionId))
  if (!i2p || (found === null && invitation === null)) return
  const secret = found === null ? await newCodeSecret(deps.vault, tenantId) : null
  await deps.db.inTenant(tenantId, async (tx) => {
    let code = await lockByTransaction(tx, tenantId, transactionId)
    if (code === null && secret !== null && invitation !== null) {
      const { recipient } = invitation
      if (await isErased(tx, deps.payerHashKeys, { tenantId, recipient, createdAt: new Date(transaction.created_at) }))
        return
      const createdAt = new Date()
      const lifetime = lifetimeOfInvitation(invitation, createdAt)
      const created = { tenantId, traceId, secret, transaction, invitation, lifetime, capture, createdAt }
      code = await storeCode(tx, { ...created, isTransactionOlder: false, waitMs: 0 })
    }
    if (code === null) throw new Error(`the transaction ${transactionId} has no code after its creation`)
    // A payment that is not among the operations may still start, so they are not complete.
    const settlement = settle(code, { transaction, isComplete: false }, await databaseNow(tx))
    if (settlement !== null) await recordSettlement(tx, code, settlement, traceId)
    else if (code.status === 'completed') await recordCapture(tx, code, transaction)
    else if (transaction.pending_operation === null && code.lastError !== null && isOfOpenOperation(code.lastError))
      await recordMessage(tx, tenantId, code.id, { lastError: null })
  })
  deps.sending.wake()
}

/** Records that the capture with the payment has failed; clears it when the transaction is captured or voided. */
async function recordCapture(tx: Tx, code: CodeFacts, transaction: Transaction): Promise<void> {
  const { tenantId, id, lastError: last } = code
  const lastError = findCaptureError(code, transaction)
  const isNew = lastError !== null ? last === null : last !== null && isOfCapture(last)
  if (isNew) await recordMessage(tx, tenantId, id, { lastError })
}
