import { containsCardNumber } from '@payments/chassis/base/card-number'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { type paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { presentToPayPage, type TransactionAggregate } from '../domain/transaction.ts'
import { planAuthorizationInUnit, toPaymentDetails, unknownToken } from '../operation/authorization.ts'
import { accessBooksWithin, type Books, changeBooks, requireFound, transactionMoved } from '../operation/books.ts'
import { unitForAuthorization } from '../operation/current-unit.ts'
import { instructProvider } from '../operation/execute.ts'
import { startOperation } from '../operation/start.ts'
import { lockTransaction } from '../store/transactions.ts'

type Payment = RequestOf<typeof paymentProxy.endpoints.payInvitation>['body']

/**
 * Authorizes an invited transaction for the payer. The id of the operation is `payment_id`: a repeated call finds it,
 * and returns the transaction as it is now. Throws transaction_not_found, payment_not_started, operation_in_progress,
 * invalid_transaction_state, too_many_operations, business_unit_not_found, business_unit_deleted,
 * payment_orchestrator_unusable, test_mode_not_allowed, unknown_payment_token.
 */
export async function payInvitation(
  deps: Deps,
  { tenantId, transactionId, traceId }: { tenantId: string; transactionId: string; traceId: string },
  payment: Payment,
): Promise<TransactionReply> {
  const { payment_id: id, capture } = payment
  // Internal bodies are not inspected, and the payer could have typed a card number.
  if (containsCardNumber(payment.payment_details.cc_token)) throw unknownToken()
  const paymentDetails = toPaymentDetails(payment.payment_details, payment.return_url)
  const { paymentMethod } = paymentDetails
  const unit = await unitForAuthorization(deps, { tenantId, traceId }, transactionId, paymentMethod)
  const decide = (books: Books) => {
    const found = requireFound(books)
    const before = found.aggregate
    if (before.operations.some((one) => one.id === id)) return { aggregate: before, leased: null, change: null }
    const now = deps.now()
    requireAsSeen(before, payment, now)
    const plan = orNotStarted(() => planAuthorizationInUnit(deps, before, { unit, paymentDetails, capture }, now))
    const initiator = { id, traceId, actor: 'payer' }
    const leased = startOperation(found, { ...plan, ...initiator }, now)
    return { aggregate: leased.aggregate, leased, change: { before, after: leased.aggregate } }
  }
  const started = await deps.db.inTenant(tenantId, async (tx) => {
    await lockTransaction(tx, tenantId, transactionId)
    return changeBooks(deps, accessBooksWithin(tx, tenantId), { transactionId }, decide)
  })
  if (started === null) throw transactionMoved()
  const { aggregate, leased } = started
  const paid = leased === null ? aggregate : await instructProvider(deps, leased, { kind: 'execute', paymentDetails })
  return presentToPayPage(paid, deps.now())
}

/** A payment that has not started must not look like one whose outcome is unknown. */
function orNotStarted<Plan>(work: () => Plan): Plan {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== problems.provider_unreachable.code) throw error
    throw new Problem(problems.payment_not_started, { detail: 'The payment provider was not reached lately' })
  }
}

/** The caller holds the lock, so the clock is read after the last wait. Throws payment_not_started. */
function requireAsSeen({ transaction }: TransactionAggregate, payment: Payment, now: Date): void {
  const detail = reasonNotToStart(transaction, payment, now)
  if (detail !== null) throw new Problem(problems.payment_not_started, { detail })
}

function reasonNotToStart(
  { i2p, amount, currency }: TransactionAggregate['transaction'],
  payment: Payment,
  now: Date,
): string | null {
  if (!i2p) return 'The transaction is not paid by invitation'
  if (now >= payment.start_before) return 'The payment came too late'
  if (amount !== payment.amount || currency !== payment.currency) return 'The amount is not the one that the payer saw'
  return null
}
