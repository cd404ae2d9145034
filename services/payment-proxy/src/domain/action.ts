import { problems } from '@payments/contracts/payment-proxy'
import { Problem } from '@payments/contracts/problem'
import { formatAmount } from './currency.ts'
import { isInFlight, type Operation, type OperationPlan } from './operation.ts'
import { type Amounts, amountsOf, capturable, isVoided, refundable } from './status.ts'
import type { Account } from './transaction.ts'

export type Action = 'complete' | 'capture' | 'void' | 'refund'

/** A declined transaction may be completed again with another token this often. */
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

/** Throws operation_in_progress, invalid_transaction_state. Returns what the transaction has by now. */
export function requireAction({ operations }: Account, action: Action): Amounts {
  const pending = operations.find(isInFlight)
  if (pending !== undefined) {
    const detail = `The ${pending.type} ${pending.id} has not ended yet`
    throw new Problem(problems.operation_in_progress, { detail, retryAfterSeconds: 1 })
  }
  const allowed = allowedActions(operations)
  if (!allowed.includes(action)) {
    throw new Problem(problems.invalid_transaction_state, { extensions: { allowed_actions: allowed } })
  }
  return amountsOf(operations)
}

export function planAuthorize(account: Account, capture: boolean): OperationPlan {
  requireAction(account, 'complete')
  const { amount } = account.transaction
  return capture ? { type: 'authorize', amount, stage: 'authorize' } : { type: 'authorize', amount }
}

/** Throws amount_exceeds_capturable. */
export function planCapture(account: Account, wanted: { amount: number | undefined; final: boolean }): OperationPlan {
  const left = capturable(requireAction(account, 'capture'))
  const amount = wanted.amount ?? left
  if (amount > left) {
    const detail = `${formatAmount(left, account.transaction.currency)} can be captured`
    throw new Problem(problems.amount_exceeds_capturable, { detail, extensions: { amount_capturable: left } })
  }
  return { type: 'capture', amount, amountReleased: wanted.final ? left - amount : 0 }
}

/** Before an authorization the amount is 0: there is nothing at the provider to release. */
export function planVoid(account: Account, reason: string | undefined): OperationPlan {
  const amount = capturable(requireAction(account, 'void'))
  return reason === undefined ? { type: 'void', amount } : { type: 'void', amount, reason }
}
