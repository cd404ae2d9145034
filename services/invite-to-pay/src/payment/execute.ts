import { newId } from '@payments/chassis/base/id'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { databaseNow } from '../code/clock.ts'
import { emitCode } from '../code/emit-code.ts'
import { recordSettlement } from '../code/settle-code.ts'
import type { Deps } from '../deps.ts'
import type { CodeError, CodeFacts } from '../domain/code.ts'
import { factsOf, released, settle, type TransactionFacts } from '../domain/settle.ts'
import { lockCode } from '../store/codes.ts'
import { claim } from '../store/due-codes.ts'

/** From this time after the claim on, payment-proxy starts the payment no more. Recovery begins 20 s later. */
const startWithinMs = 10_000

export interface PaymentDetails {
  readonly payment_method: 'CREDIT_CARD' | 'ACH'
  readonly cc_token: string
}

/**
 * **What it does.** Pays a code once: claims it, has payment-proxy authorize the transaction, records the outcome. The
 * payer waits for the claim, and a moment for the outcome (in-progress.ts).
 *
 * **Participants.**
 *
 *     payer ──► permit ──► claim ──► payInvitation ──► record
 *                            │ crash, or outcome unknown   ▲
 *                            └─► recover-payments: findTransaction, from 30 s after the claim on
 *     payment-proxy.transactions.* ─► apply-transaction-event ─► record
 *
 * **Guarantees.**
 * 1. A code has at most one payment at a time: the claim is one UPDATE of an active code. Its id, `payment_id`, is the
 *    id of the operation at payment-proxy, so a repeated call charges nothing.
 * 2. A claim begins before `expires_at`, by the clock of the database. A claimed payment may end later.
 * 3. A code is released only when its payment was declined, or can start no more: payment-proxy rejected it, or 30 s
 *    after the claim the transaction has no such operation.
 * 4. Every path decides by one function, `settle`, so duplicated and reordered facts have one result.
 *
 * **Not guaranteed.** That the payer sees the outcome: after a crash the page says that the payment is processed.
 */
export async function executePayment(deps: Deps, request: PaymentRequest): Promise<'claimed' | 'unclaimed' | 'busy'> {
  const permit = deps.inProgress.admit(request.tenantId)
  if (permit === null) return 'busy'
  let claimed: CodeFacts | null = null
  try {
    claimed = await claimCode(deps, request)
  } finally {
    if (claimed === null) permit.release()
  }
  if (claimed === null) return 'unclaimed'
  const code = claimed
  await permit.start(() => pay(deps, code, request), { code_id: code.id, trace_id: request.traceId })
  return 'claimed'
}

function claimCode({ db }: Deps, { traceId, codeHash, version }: PaymentRequest): Promise<CodeFacts | null> {
  return db.acrossTenants(async (tx) => {
    const code = await claim(tx, { codeHash, version, paymentId: newId() })
    if (code !== null) await emitCode(tx, 'invite-to-pay.codes.update', code, traceId)
    return code
  })
}

async function pay(deps: Deps, code: CodeFacts, { traceId, paymentDetails }: PaymentRequest): Promise<void> {
  const outcome = await send(deps, code, traceId, paymentDetails)
  if (outcome !== null) await recordOutcome(deps, code, outcome, traceId)
}

interface PaymentRequest {
  readonly traceId: string
  readonly tenantId: string
  readonly codeHash: Uint8Array
  /** The version that the payer saw. */
  readonly version: number
  readonly paymentDetails: PaymentDetails
}

/** The outcome of a payment: facts of its transaction, or the rejection of a payment that did not begin. */
type Outcome = { readonly facts: TransactionFacts } | { readonly rejection: CodeError }

/** Null for an unknown outcome, which `recover-payments` finds out. */
async function send(
  deps: Deps,
  code: CodeFacts,
  traceId: string,
  paymentDetails: PaymentDetails,
): Promise<Outcome | null> {
  const { tenantId, transactionId, paymentId, claimedAt, amount, currency, capture } = code
  if (paymentId === null || claimedAt === null) throw new Error(`code ${code.id} is not claimed`)
  const params = { tenant_id: tenantId, transaction_id: transactionId }
  const body = {
    payment_id: paymentId,
    start_before: new Date(claimedAt.getTime() + startWithinMs).toISOString(),
    amount,
    currency,
    capture,
    payment_details: paymentDetails,
  }
  try {
    const transaction = await deps.payments.payInvitation({ traceId }, { params, body })
    return { facts: factsOf(transaction, false) }
  } catch (error) {
    return outcomeOf(deps, code, traceId, error)
  }
}

async function outcomeOf(deps: Deps, code: CodeFacts, traceId: string, error: unknown): Promise<Outcome | null> {
  const known = error instanceof Problem && error.status < 500 ? error : null
  if (known === null) {
    deps.log.warn({ err: error, code_id: code.id, trace_id: traceId }, 'the outcome of a payment is unknown')
    return null
  }
  if (known.code === 'invalid_transaction_state') {
    // The transaction was paid, voided, or declined too often: its facts decide.
    const transaction = await readTransaction(deps, code, traceId)
    return transaction === null ? null : { facts: { ...factsOf(transaction, true), isClosed: true } }
  }
  const kind = known.code === 'unknown_payment_token' ? 'unknown_token' : 'failed'
  // Errors of fields name those of our request to payment-proxy, and so does the detail that lists them.
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
    const settlement = 'facts' in outcome ? settle(code, outcome.facts, now) : released(code, outcome.rejection, now)
    if (settlement === null) return false
    await recordSettlement(tx, code, settlement, traceId)
    return true
  })
  deps.sending.wake()
  return hasEnded
}
