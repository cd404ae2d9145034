import { problems } from '@payments/contracts/payment-proxy'
import { Problem } from '@payments/contracts/problem'
import { requireAction } from './action.ts'
import { formatAmount } from './currency.ts'
import { refundAmountOf } from './item.ts'
import type { OperationPlan, RefundItem } from './operation.ts'
import { refundable } from './status.ts'
import type { TransactionAggregate } from './transaction.ts'

export interface RefundRequest {
  readonly amount?: number | undefined
  readonly items?: readonly RefundItem[] | undefined
  readonly reason?: string | undefined
}

/** Throws amount_exceeds_refundable, unknown_transaction_item, amount_mismatch. */
export function planRefund(
  aggregate: TransactionAggregate,
  { items, reason, ...request }: RefundRequest,
): OperationPlan {
  const left = refundable(requireAction(aggregate, 'refund'))
  const amount = (items === undefined ? request.amount : refundAmountOf(aggregate, items, request.amount)) ?? left
  if (amount > left) {
    const detail = `At most ${formatAmount(left, aggregate.transaction.currency)} can be refunded`
    throw new Problem(problems.amount_exceeds_refundable, { detail, extensions: { amount_refundable: left } })
  }
  return {
    type: 'refund',
    amount,
    ...(reason === undefined ? {} : { reason }),
    ...(items === undefined ? {} : { items }),
  }
}
