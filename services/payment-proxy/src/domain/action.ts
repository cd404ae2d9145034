import { problems } from '@payments/contracts/payment-proxy'
import { Problem } from '@payments/contracts/problem'
import { formatAmount } from './currency.ts'
import { isInFlight, type Operation, type OperationPlan } from './operation.ts'
import { type Amounts, amountsOf, capturable, isVoided, refundable, statusOf } from './status.ts'
import type { TransactionAggregate } from './transaction.ts'

export type Action = 'complete' | 'capture' | 'void' | 'refund'

/** Maximum completions with another token after a declined authorization. */
const completionsMax = 10

export function allowedActions(operations: readonly Operation[]): Action[] {
  const amounts = amountsOf(operations)
  const untouched = amounts.authorized === 0 && !isVoided(operations)
  const declines = operations.filter(({ type, state }) => type === 'authorize' && state === 'declined').length
  const allowed: Action[] = []
  if (untouched && declines <= completionsMax) allowed.push('complete')
  if (capturable(amounts) > 0) allowed.push('capture')
  if (capturable(amounts) > 0 || untouched) allowed.push('void')
  if (refundable(amounts) > 0) allowed.push('refund')
  return allowed
}

/** Returns the amounts of the transaction. Throws operation_in_progress, invalid_transaction_state. */
export function requireAction({ operations }: TransactionAggregate, action: Action): Amounts {
  const pending = operations.find(isInFlight)
  if (pending !== undefined) {
    const detail = `The ${pending.type} ${pending.id} is in progress`
    throw new Problem(problems.operation_in_progress, { detail, retryAfterSeconds: 1 })
  }
  const allowed = allowedActions(operations)
  if (!allowed.includes(action)) {
    const detail = `The transaction is ${statusOf(operations)} and does not allow ${action}`
    throw new Problem(problems.invalid_transaction_state, { detail, extensions: { allowed_actions: allowed } })
  }
  return amountsOf(operations)
}

export function planAuthorize(aggregate: TransactionAggregate, capture: boolean): OperationPlan {
  requireAction(aggregate, 'complete')
  const { amount } = aggregate.transaction
  return capture ? { type: 'authorize', amount, stage: 'authorize' } : { type: 'authorize', amount }
}

/** Throws amount_exceeds_capturable. */
export function planCapture(
  aggregate: TransactionAggregate,
  requested: { amount: number | undefined; final: boolean },
): OperationPlan {
  const left = capturable(requireAction(aggregate, 'capture'))
  const amount = requested.amount ?? left
  if (amount > left) {
    const detail = `At most ${formatAmount(left, aggregate.transaction.currency)} can be captured`
    throw new Problem(problems.amount_exceeds_capturable, { detail, extensions: { amount_capturable: left } })
  }
  return { type: 'capture', amount, amountReleased: requested.final ? left - amount : 0 }
}

/** The amount is 0 before an authorization: the provider has nothing to release. */
export function planVoid(aggregate: TransactionAggregate, reason: string | undefined): OperationPlan {
  const amount = capturable(requireAction(aggregate, 'void'))
  return reason === undefined ? { type: 'void', amount } : { type: 'void', amount, reason }
}
