import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import type { CodeFacts } from '../domain/code.ts'
import { findConfirmation } from '../domain/settle.ts'
import { reserveSync } from '../store/due-codes.ts'
import { recordOutcome } from './execute.ts'

type Kind = 'sync' | 'cancellation'

/**
 * Requested: the request is in progress, or the payment does not wait for the payer any more. Waiting: payment-proxy or
 * the payment provider did not respond, and the payment waits. Operation in progress: another process works on the
 * payment. Overloaded: nothing was requested, because the tenant has its share of the payments in progress.
 */
type RequestResult = 'requested' | 'waiting' | 'operation_in_progress' | 'overloaded'

/**
 * **What it does.** Requests the outcome of a payment that waits for the payer to confirm it at their bank: by a sync
 * after the return of the payer, or by a cancellation, because the payer wants to pay in another way.
 *
 * **Guarantees.** The payment provider alone decides the outcome. Nothing in the request of the payer does. A sync runs
 * once in two seconds. Each request is within the share of its tenant of the payments in progress.
 *
 * **Not guaranteed.** An outcome: payment-proxy queries the provider until there is one (`recover-payments`).
 */
export async function requestOutcome(deps: Deps, code: CodeFacts, traceId: string, kind: Kind): Promise<RequestResult> {
  const { tenantId, id } = code
  if (kind === 'sync' && !(await deps.db.inTenant(tenantId, (tx) => reserveSync(tx, tenantId, code))))
    return 'requested'
  const permit = deps.inProgress.tryAcquire(tenantId)
  if (permit === null) return 'overloaded'
  const work = () => requestAndRecord(deps, code, traceId, kind)
  return (await permit.start(work, { code_id: id, trace_id: traceId })) ?? 'requested'
}

async function requestAndRecord(deps: Deps, code: CodeFacts, traceId: string, kind: Kind): Promise<RequestResult> {
  const transaction = await send(deps, code, traceId, kind)
  if (typeof transaction === 'string') return transaction
  const hasEnded = await recordOutcome(deps, code, { transaction, isComplete: false }, traceId)
  return hasEnded || findConfirmation(code, transaction) === null ? 'requested' : 'waiting'
}

/** The transaction, or why there is none. */
async function send(
  { payments, log }: Pick<Deps, 'payments' | 'log'>,
  { id, tenantId, transactionId, paymentId }: CodeFacts,
  traceId: string,
  kind: Kind,
): Promise<Transaction | 'waiting' | 'operation_in_progress'> {
  if (paymentId === null) throw new Error(`code ${id} has no payment`)
  const params = { tenant_id: tenantId, transaction_id: transactionId, payment_id: paymentId }
  const call = kind === 'sync' ? payments.syncInvitedPayment : payments.cancelInvitedPayment
  return call({ traceId }, { params }).catch((err: unknown) => {
    const isBusy = err instanceof Problem && err.code === problems.operation_in_progress.code
    if (isBusy) return 'operation_in_progress'
    if (err instanceof Problem && err.status < 500 && err.status !== 429) throw err
    log.warn({ err, code_id: id, trace_id: traceId }, 'the outcome of a confirmation is unknown')
    return 'waiting'
  })
}
