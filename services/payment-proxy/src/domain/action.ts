import { formatAmount } from '@payments/contracts/grammar/currency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { completionsMax, operationsMax } from '@payments/contracts/services/payment-proxy/problems'
import {
  authorizationExpired,
  failureMembers,
  isOpen,
  type Operation,
  type OperationPlan,
  type OperationType,
} from './operation.ts'
import { type Amounts, capturableAmount, deriveStatus, isVoided, refundableAmount, sumAmounts } from './status.ts'
import type { Transaction, TransactionAggregate } from './transaction.ts'

export type Action = 'complete' | 'capture' | 'void' | 'refund'

export function allowedActions({ transaction, operations }: TransactionAggregate, now: Date): Action[] {
  const amounts = sumAmounts(operations)
  const isBeforeAuthorization = amounts.authorized === 0 && !isVoided(operations)
  const declines = operations.filter(({ type, state }) => type === 'authorize' && state === 'declined').length
  const allowed: Action[] = []
  if (isBeforeAuthorization && declines <= completionsMax) allowed.push('complete')
  if (capturableAmount(amounts) > 0 && !isExpired(transaction, now)) allowed.push('capture')
  if (capturableAmount(amounts) > 0 || isBeforeAuthorization) allowed.push('void')
  if (refundableAmount(amounts) > 0) allowed.push('refund')
  return allowed
}

/** Until the release of an expired authorization, its amount can be voided only. */
function isExpired({ authorizationExpiresAt }: Transaction, now: Date): boolean {
  return authorizationExpiresAt !== null && authorizationExpiresAt <= now
}

/** Operations that were not sent, after which the next one waits for longer each time. */
const unsentMax = 20
const [unsentWaitMsMin, unsentWaitMsMax] = [1_000, 10 * 60_000]

/**
 * Returns the amounts of the transaction. Throws operation_in_progress, invalid_transaction_state,
 * provider_unreachable.
 */
export function requireAction(aggregate: TransactionAggregate, action: Action, now: Date): Amounts {
  const amounts = requirePossible(aggregate, action, now)
  // A void before an authorization needs no provider.
  if (action !== 'void' || capturableAmount(amounts) > 0) requirePause(aggregate.operations, now)
  return amounts
}

const kindByType = { authorize: 'payments', capture: 'payments', refund: 'refunds', void: 'voids' } as const
const kindNames = { payments: 'authorizations and captures', refunds: 'refunds', voids: 'voids' }

const failedWaitMs = 24 * 60 * 60 * 1_000

/**
 * Each kind of operations has its own maximum, so that none prevents another. Operations that were not sent do not
 * count: a provider that is down must not end a transaction. Above the maximum, an operation with all that is left is
 * accepted, once a day while such operations fail: money is always captured, refunded or released at last.
 * Throws too_many_operations.
 */
export function requireFurtherOperation(
  { operations }: TransactionAggregate,
  { type, isOfAll }: { readonly type: OperationType; readonly isOfAll: boolean },
  now: Date,
): void {
  const kind = kindByType[type]
  const sent = operations.filter((one) => kindByType[one.type] === kind && one.state !== 'not_attempted')
  if (sent.length < operationsMax[kind]) return
  const has = `The transaction has ${sent.length} ${kindNames[kind]}`
  if (!isOfAll) throw new Problem(problems.too_many_operations, { detail: has })
  const last = sent.at(-1)
  if (last === undefined || last.state === 'succeeded' || last.completedAt === null) return
  const next = new Date(last.completedAt.getTime() + failedWaitMs)
  if (next <= now) return
  const detail = `${has}, and the last one failed. The next one is accepted at ${next.toISOString()}`
  throw new Problem(problems.too_many_operations, { detail })
}

const countUnsent = (operations: readonly Operation[]) =>
  operations.filter(({ state }) => state === 'not_attempted').length

/** After many operations that were not sent, each one waits for longer. */
function requirePause(operations: readonly Operation[], now: Date): void {
  const unsent = countUnsent(operations)
  const last = operations.at(-1)
  if (unsent < unsentMax || last?.state !== 'not_attempted' || last.completedAt === null) return
  const waitMs = Math.min(unsentWaitMsMax, unsentWaitMsMin * 2 ** (unsent - unsentMax))
  const leftMs = last.completedAt.getTime() + waitMs - now.getTime()
  if (leftMs > 0) throw notSentAgain(last, unsent, Math.ceil(leftMs / 1_000))
}

function notSentAgain(last: Operation, unsent: number, retryAfterSeconds: number): Problem {
  const detail = `${unsent} operations of the transaction were not sent to the provider. Repeat the request later`
  const extensions = { ...failureMembers(last), retryable: true }
  return new Problem(problems.provider_unreachable, { detail, extensions, retryAfterSeconds })
}

/** As `requireAction`, whatever the number of operations. */
function requirePossible(aggregate: TransactionAggregate, action: Action, now: Date): Amounts {
  const { operations } = aggregate
  const pending = operations.find(isOpen)
  if (pending !== undefined) {
    const waits = pending.state === 'action_required' ? 'waits for the payer to confirm it' : 'is in progress'
    const detail = `The ${pending.type} ${pending.id} ${waits}`
    throw new Problem(problems.operation_in_progress, { detail, retryAfterSeconds: 1 })
  }
  const allowed = allowedActions(aggregate, now)
  if (!allowed.includes(action)) {
    const detail = `The transaction is ${deriveStatus(operations)} and does not allow ${action}`
    throw new Problem(problems.invalid_transaction_state, { detail, extensions: { allowed_actions: allowed } })
  }
  return sumAmounts(operations)
}

/** Throws too_many_operations, and the problems of `requireAction`. */
export function planAuthorize(aggregate: TransactionAggregate, capture: boolean, now: Date): OperationPlan {
  requireAction(aggregate, 'complete', now)
  requireFurtherOperation(aggregate, { type: 'authorize', isOfAll: false }, now)
  const { amount } = aggregate.transaction
  return capture ? { type: 'authorize', amount, stage: 'authorize' } : { type: 'authorize', amount }
}

/** Throws amount_exceeds_capturable, too_many_operations, and the problems of `requireAction`. */
export function planCapture(
  aggregate: TransactionAggregate,
  requested: { amount: number | undefined; final: boolean },
  now: Date,
): OperationPlan {
  const left = capturableAmount(requireAction(aggregate, 'capture', now))
  const amount = requested.amount ?? left
  if (amount > left) {
    const detail = `At most ${formatAmount(left, aggregate.transaction.currency)} can be captured`
    const errors = [{ pointer: '/amount', detail }]
    throw new Problem(problems.amount_exceeds_capturable, { detail, errors, extensions: { amount_capturable: left } })
  }
  requireFurtherOperation(aggregate, { type: 'capture', isOfAll: amount === left || requested.final }, now)
  return { type: 'capture', amount, amountReleased: requested.final ? left - amount : 0 }
}

/**
 * The amount is 0 before an authorization: the provider has nothing to release. Throws too_many_operations, and the
 * problems of `requireAction`.
 */
export function planVoid(aggregate: TransactionAggregate, reason: string | undefined, now: Date): OperationPlan {
  const amount = capturableAmount(requireAction(aggregate, 'void', now))
  requireFurtherOperation(aggregate, { type: 'void', isOfAll: true }, now)
  return reason === undefined ? { type: 'void', amount } : { type: 'void', amount, reason }
}

/** The void by which the platform releases an expired authorization, whatever the number of operations. */
export function planRelease(aggregate: TransactionAggregate, now: Date): OperationPlan {
  return {
    type: 'void',
    amount: capturableAmount(requirePossible(aggregate, 'void', now)),
    reason: authorizationExpired,
  }
}
