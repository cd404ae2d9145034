import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import type { CodeFacts } from '../domain/code.ts'
import { factsOf } from '../domain/settle.ts'
import { claimSync } from '../store/due-codes.ts'
import { recordOutcome } from './execute.ts'

/**
 * **What it does.** Ends the payment of a code that waits for the payer to confirm it at their bank: after the return
 * of the payer, or because the payer wants to pay in another way.
 *
 * **Guarantees.** The payment provider alone decides the outcome. Nothing in the request of the payer does. A payment
 * is queried once in two seconds, within the share of its tenant of the payments in progress.
 *
 * **Not guaranteed.** A request: `overloaded` without a permit of the tenant. An outcome: payment-proxy queries the
 * provider until there is one (`recover-payments`).
 */
export async function endConfirmation(
  deps: Deps,
  code: CodeFacts,
  traceId: string,
  wanted: 'outcome' | 'cancellation',
): Promise<'requested' | 'overloaded'> {
  const { tenantId, id } = code
  if (wanted === 'outcome' && !(await deps.db.inTenant(tenantId, (tx) => claimSync(tx, tenantId, code)))) {
    return 'requested'
  }
  const permit = deps.inProgress.admit(tenantId)
  if (permit === null) return 'overloaded'
  await permit.start(() => end(deps, code, traceId, wanted), { code_id: id, trace_id: traceId })
  return 'requested'
}

async function end(deps: Deps, code: CodeFacts, traceId: string, wanted: 'outcome' | 'cancellation'): Promise<void> {
  const transaction = await request(deps, code, traceId, wanted)
  if (transaction !== null) await recordOutcome(deps, code, { facts: factsOf(transaction, false) }, traceId)
}

/** Null while payment-proxy is not available. */
async function request(
  { payments, log }: Pick<Deps, 'payments' | 'log'>,
  { id, tenantId, transactionId, paymentId }: CodeFacts,
  traceId: string,
  wanted: 'outcome' | 'cancellation',
): Promise<Transaction | null> {
  if (paymentId === null) throw new Error(`code ${id} has no payment`)
  const params = { tenant_id: tenantId, transaction_id: transactionId, payment_id: paymentId }
  const call = wanted === 'outcome' ? payments.syncInvitedPayment : payments.cancelInvitedPayment
  return call({ traceId }, { params }).catch((err: unknown) => {
    if (err instanceof Problem && err.status < 500 && err.status !== 429) throw err
    log.warn({ err, code_id: id, trace_id: traceId }, 'the outcome of a confirmation is unknown')
    return null
  })
}
