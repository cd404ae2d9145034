import { erased } from '@payments/contracts/nouns/payer-erasure'
import type { Operation, Transaction } from '@payments/contracts/nouns/transaction'
import { completionsMax } from '@payments/contracts/services/payment-proxy/problems'
import type { CodeError, CodeFacts, Confirmation } from './code.ts'
import { allows, columnsAfter, type Transition } from './code-state.ts'

/** Declined payments after which a code is canceled. */
const declinesMax = 10

/**
 * The transaction of a code. Each fact that decides stays true once it is: an authorized transaction has been
 * authorized for ever, and a declined operation stays declined. So facts may arrive twice and in any order, and
 * versions need no comparison.
 */
export interface TransactionFacts {
  readonly transaction: Transaction
  /** Whether the payment of the code is among its operations, or can start no more. */
  readonly isComplete: boolean
  /** Whether payment-proxy rejected the payment because of the state of the transaction. */
  readonly isClosed?: boolean
}

export interface Settlement {
  readonly transition: Exclude<Transition, 'take'>
  readonly columns: ReturnType<typeof columnsAfter> & {
    readonly declineCount?: number
    readonly lastError: CodeError | null
    readonly paymentBrand?: string | null
    readonly paymentLast4?: string | null
    readonly paidAt?: Date | null
  }
}

/**
 * The change of a code by the facts of its transaction, or null for none. A payment whose operation is open, or not
 * among incomplete facts, changes nothing.
 */
export function settle(
  code: Pick<CodeFacts, 'status' | 'capture' | 'recipient' | 'paymentId' | 'expiresAt' | 'declineCount' | 'lastError'>,
  { transaction, isComplete, isClosed = false }: TransactionFacts,
  now: Date,
): Settlement | null {
  const { operations, pending_operation: pending } = transaction
  const isPayable = takesPayments(transaction)
  // The merchant voided the payment before it settled the code: nothing is paid in the end.
  const isVoided = transaction.status === 'voided'
  if (code.status === 'processing' && (isVoided || pending?.type === 'void')) {
    return isVoided ? buildSettlement(code, 'cancelByTransaction', { lastError: code.lastError }) : null
  }
  if (transaction.amount_authorized > 0) {
    const { brand = null, last4 = null } = transaction.payment_method ?? {}
    const paidAt = findPaidAt(code, transaction)
    const lastError = findCaptureError(code, transaction)
    return buildSettlement(code, 'complete', { lastError, paymentBrand: brand, paymentLast4: last4, paidAt })
  }
  if (isVoided) return buildSettlement(code, 'cancelByTransaction', { lastError: code.lastError })
  if (code.status !== 'processing') return isPayable ? null : buildSettlement(code, 'cancelByDeclines', closed)
  const payment = operations.find(({ id }) => id === code.paymentId)
  if (payment === undefined && isClosed) return buildSettlement(code, 'cancelByDeclines', closed)
  if (payment === undefined) return isComplete ? planRelease(code, notStarted, now) : null
  if (payment.state === 'declined') return planDecline(code, payment, isPayable, now)
  return payment.state === 'not_attempted' ? planRelease(code, notStarted, now) : null
}

const notCaptured: CodeError = {
  kind: 'failed',
  code: 'not_captured',
  detail: 'The payer has paid, and the capture failed: the amount is reserved until the transaction is captured.',
}

/** Whether a later capture clears the error. */
export const isOfCapture = ({ code }: CodeError): boolean => code === notCaptured.code

/** Of a code that captures with the payment, once the last capture has failed. Otherwise null. */
export function findCaptureError(
  { capture }: Pick<CodeFacts, 'capture'>,
  { status, operations }: Transaction,
): CodeError | null {
  const state = operations.findLast(({ type }) => type === 'capture')?.state
  const hasFailed = state === 'declined' || state === 'not_attempted'
  return capture && status === 'authorized' && hasFailed ? notCaptured : null
}

/**
 * When the payer submitted the payment, which is when its operation began: its outcome may become known much later.
 * Null where the facts do not have the operation.
 */
function findPaidAt({ paymentId }: Pick<CodeFacts, 'paymentId'>, { operations }: Transaction): Date | null {
  const authorizations = operations.filter(({ type, state }) => type === 'authorize' && state === 'succeeded')
  const payment = authorizations.find(({ id }) => id === paymentId) ?? authorizations.at(-1)
  return payment === undefined ? null : new Date(payment.created_at)
}

/** The change of a code whose payment was rejected before it began. */
export function planRelease(
  code: Pick<CodeFacts, 'status' | 'recipient' | 'expiresAt'>,
  lastError: CodeError | null,
  now: Date,
): Settlement | null {
  return buildSettlement(code, afterFailure(code, now), { lastError })
}

const notStarted: CodeError = {
  kind: 'failed',
  code: 'payment_not_started',
  detail: 'The payment provider was not reached, and nothing was charged.',
}

/** Neither authorized nor voided: declined payments, also of the merchant, have closed the transaction. */
const closed: { readonly lastError: CodeError } = {
  lastError: {
    kind: 'failed',
    code: 'invalid_transaction_state',
    detail: 'The transaction takes no more payments, because too many were declined.',
  },
}

/** Whether payment-proxy accepts one more payment after the declined ones, payments of the merchant included. */
const takesPayments = ({ operations }: Transaction): boolean =>
  operations.filter(({ type, state }) => type === 'authorize' && state === 'declined').length <= completionsMax

function planDecline(
  code: Pick<CodeFacts, 'status' | 'recipient' | 'expiresAt' | 'declineCount'>,
  { error }: Operation,
  isPayable: boolean,
  now: Date,
): Settlement | null {
  const declineCount = code.declineCount + 1
  const declineCode = error?.decline_code ?? 'declined'
  const lastError: CodeError = { kind: 'declined', code: declineCode, detail: 'The payment was declined.' }
  if (declineCount >= declinesMax || !isPayable)
    return buildSettlement(code, 'cancelByDeclines', { declineCount, lastError })
  return buildSettlement(code, afterFailure(code, now), { declineCount, lastError })
}

function afterFailure({ recipient, expiresAt }: Pick<CodeFacts, 'recipient' | 'expiresAt'>, now: Date) {
  if (recipient === erased) return 'cancelByErasure'
  return expiresAt <= now ? 'expire' : 'release'
}

function buildSettlement(
  { status }: Pick<CodeFacts, 'status'>,
  transition: Settlement['transition'],
  changes: Omit<Settlement['columns'], keyof ReturnType<typeof columnsAfter>>,
): Settlement | null {
  return allows(status, transition) ? { transition, columns: { ...columnsAfter(transition), ...changes } } : null
}

/** The bank that the payment of a code waits for. Null for none. */
export function findConfirmation(
  { paymentId }: Pick<CodeFacts, 'paymentId'>,
  { pending_operation: pending }: Transaction,
): Confirmation | null {
  const action = pending?.id === paymentId ? pending.action : null
  return action && { url: action.url, expires_at: action.expires_at }
}
