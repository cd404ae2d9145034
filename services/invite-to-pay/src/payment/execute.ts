import { newId } from '@payments/chassis/base/id'
import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { emitCode, recordSettlement } from '../code/change-code.ts'
import type { Deps } from '../deps.ts'
import type { CodeError, CodeFacts } from '../domain/code.ts'
import type { AttemptOutcome, RequestedPayment } from '../domain/form-decision.ts'
import { findConfirmation, planRelease, settle, type TransactionFacts } from '../domain/settle.ts'
import { lockCode, recordConfirmation } from '../store/codes.ts'
import { isRateLimited, takeForPayment } from '../store/due-codes.ts'

/** Time after a code is taken in which payment-proxy may start the payment. Recovery begins 20 s after its end. */
const startWithinMs = 10_000

/**
 * **What it does.** Pays a code once: takes it, calls payment-proxy, records the outcome.
 *
 * **Guarantees.**
 * 1. A code has at most one payment at a time: it is taken by one UPDATE of an active code, and its `payment_id` is the
 *    id of the operation.
 * 2. A code is taken before `expires_at`, by the clock of the database.
 * 3. A code is released only when its payment was declined, or can start no more (README.md).
 * 4. Every path decides by one function, `settle`.
 *
 * **Not guaranteed.** That the payer sees the outcome: after a crash the payment is shown as processed.
 */
export async function executePayment(deps: Deps, request: PaymentRequest): Promise<AttemptOutcome> {
  const permit = deps.inProgress.tryAcquire(request.tenantId)
  if (permit === null) return 'overloaded'
  const code = await takeCode(deps, request).catch((error: unknown) => {
    permit.release()
    throw error
  })
  if (typeof code === 'string') {
    permit.release()
    return code
  }
  const confirms = await permit.start(() => pay(deps, code, request), { code_id: code.id, trace_id: request.traceId })
  return confirms === true ? 'confirming' : 'taken'
}

interface PaymentRequest extends RequestedPayment {
  readonly traceId: string
  readonly codeHash: Uint8Array<ArrayBuffer>
  /** Our page that the payer returns to from their bank. */
  readonly bankReturnUrl: string
  /** Of the page, for the receipt. */
  readonly payerLocale: string
  readonly payerTimeZone: string | null
}

function takeCode(
  { db }: Deps,
  { traceId, codeHash, version, payerLocale, payerTimeZone }: PaymentRequest,
): Promise<CodeFacts | 'limited' | 'stale'> {
  return db.acrossTenants(async (tx) => {
    const code = await takeForPayment(tx, { codeHash, version, paymentId: newId(), payerLocale, payerTimeZone })
    if (code === null) return (await isRateLimited(tx, codeHash)) ? 'limited' : 'stale'
    await emitCode(tx, 'invite-to-pay.codes.update', code, traceId)
    return code
  })
}

/** Whether the payer has to confirm the payment at their bank. */
async function pay(deps: Deps, code: CodeFacts, request: PaymentRequest): Promise<boolean> {
  const outcome = await send(deps, code, request)
  if (outcome === null) return false
  const hasEnded = await recordOutcome(deps, code, outcome, request.traceId)
  return !hasEnded && 'transaction' in outcome && findConfirmation(code, outcome.transaction) !== null
}

/** The outcome of a payment: facts of its transaction, or the rejection of a payment that did not begin. */
type Outcome = TransactionFacts | { readonly rejection: CodeError }

/** Null for an unknown outcome, which `recover-payments` finds out. */
async function send(
  deps: Deps,
  code: CodeFacts,
  { traceId, paymentDetails, bankReturnUrl }: PaymentRequest,
): Promise<Outcome | null> {
  const { tenantId, transactionId, paymentId, claimedAt, amount, currency, capture } = code
  if (paymentId === null || claimedAt === null) throw new Error(`code ${code.id} is not taken`)
  const params = { tenant_id: tenantId, transaction_id: transactionId }
  const body = {
    payment_id: paymentId,
    start_before: new Date(claimedAt.getTime() + startWithinMs).toISOString(),
    amount,
    currency,
    capture,
    payment_details: paymentDetails,
    return_url: bankReturnUrl,
  }
  try {
    return { transaction: await deps.payments.payInvitation({ traceId }, { params, body }), isComplete: false }
  } catch (error) {
    return resolveFailure(deps, code, traceId, error)
  }
}

async function resolveFailure(deps: Deps, code: CodeFacts, traceId: string, error: unknown): Promise<Outcome | null> {
  const known = error instanceof Problem && error.status < 500 ? error : null
  if (known === null) {
    deps.log.warn({ err: error, code_id: code.id, trace_id: traceId }, 'the outcome of a payment is unknown')
    return null
  }
  if (known.code === 'invalid_transaction_state') {
    // The transaction was paid, voided, or declined too often: its facts decide.
    const transaction = await readTransaction(deps, code, traceId)
    return transaction && { transaction, isComplete: true, isClosed: true }
  }
  const kind = known.code === 'unknown_payment_token' ? 'unknown_token' : 'failed'
  // Errors of fields, and the detail that lists them, name fields of our request to payment-proxy.
  const detail = known.options.errors === undefined ? known.options.detail : undefined
  return { rejection: { kind, code: known.code, detail: detail ?? known.title } }
}

/** Null while payment-proxy is not available. */
export async function readTransaction(
  { paymentProxy, log }: Pick<Deps, 'paymentProxy' | 'log'>,
  { id, tenantId, transactionId }: CodeFacts,
  traceId: string,
): Promise<Transaction | null> {
  const params = { tenant_id: tenantId, transaction_id: transactionId }
  return paymentProxy.findTransaction({ traceId }, { params }).catch((err: unknown) => {
    log.warn({ err, code_id: id, trace_id: traceId }, 'the transaction of a code cannot be read')
    return null
  })
}

/** Records the outcome of the payment, unless another process has. Returns whether the payment has ended. */
export async function recordOutcome(
  deps: Pick<Deps, 'db' | 'sending'>,
  { tenantId, id, paymentId }: CodeFacts,
  outcome: Outcome,
  traceId: string,
): Promise<boolean> {
  const hasEnded = await deps.db.inTenant(tenantId, async (tx) => {
    const code = await lockCode(tx, tenantId, id)
    if (code === null || code.paymentId !== paymentId) return true
    const now = await databaseNow(tx)
    const settlement = 'rejection' in outcome ? planRelease(code, outcome.rejection, now) : settle(code, outcome, now)
    if (settlement === null) {
      if ('transaction' in outcome) {
        await recordConfirmation(tx, tenantId, id, findConfirmation(code, outcome.transaction))
      }
      return false
    }
    await recordSettlement(tx, code, settlement, traceId)
    return true
  })
  deps.sending.wake()
  return hasEnded
}
