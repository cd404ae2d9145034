import type { RequestOf } from '@payments/contracts/grammar/contract'
import { formatAmount } from '@payments/contracts/grammar/currency'
import { Problem } from '@payments/contracts/grammar/problem'
import { type paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import { requireAction, requireFurtherOperation } from './action.ts'
import { refundAmount } from './item.ts'
import type { Operation, OperationPlan, RefundItem } from './operation.ts'
import { refundableAmount } from './status.ts'
import type { TransactionAggregate } from './transaction.ts'

/** Not both `amount` and `items`. */
export type RefundRequest = RequestOf<typeof paymentProxy.endpoints.refundTransaction>['body']

/** Throws amount_exceeds_refundable, unknown_transaction_item, too_many_operations. */
export function planRefund(
  aggregate: TransactionAggregate,
  { amount: requested, items, reason }: RefundRequest,
  now: Date,
): OperationPlan {
  const left = refundableAmount(requireAction(aggregate, 'refund', now))
  if (items !== undefined) requireBoundedItems(aggregate, items)
  const amount = (items === undefined ? requested : refundAmount(aggregate, items)) ?? left
  if (amount > left) {
    const detail = `At most ${formatAmount(left, aggregate.transaction.currency)} can be refunded`
    const errors = [{ pointer: items === undefined ? '/amount' : '/items', detail }]
    throw new Problem(problems.amount_exceeds_refundable, { detail, errors, extensions: { amount_refundable: left } })
  }
  requireFurtherOperation(aggregate, { type: 'refund', isOfAll: amount === left }, now)
  return {
    type: 'refund',
    amount,
    ...(reason === undefined ? {} : { reason }),
    ...(items === undefined ? {} : { items }),
  }
}

/** Of the refunds of a transaction, as JSON: each request about the transaction reads them. */
const itemBytesMax = 256 * 1024

function requireBoundedItems({ operations }: TransactionAggregate, items: readonly RefundItem[]): void {
  const bytes = Buffer.byteLength(JSON.stringify([items, ...operations.map((operation) => operation.items)]))
  if (bytes <= itemBytesMax) return
  const detail = 'The items of all refunds of a transaction have at most 256 KiB as JSON. Refund by amount'
  throw new Problem(problems.too_many_operations, { detail })
}

const failsLaterMax = 10
const failsLaterDays = 30

/** Succeeded refunds that a provider may still fail: the latest ten, of the last 30 days. */
export function refundsToSync(operations: readonly Operation[], now: Date): Operation[] {
  const since = now.getTime() - failsLaterDays * 24 * 60 * 60 * 1000
  return operations
    .filter(({ type, state }) => type === 'refund' && state === 'succeeded')
    .filter(({ completedAt }) => completedAt !== null && completedAt.getTime() > since)
    .slice(-failsLaterMax)
}
