import { problems } from '@payments/contracts/payment-proxy'
import { Problem } from '@payments/contracts/problem'
import { requireAction } from './action.ts'
import { formatAmount } from './currency.ts'
import { priceOf } from './item.ts'
import type { OperationPlan, RefundItem } from './operation.ts'
import { refundable } from './status.ts'
import type { Account } from './transaction.ts'

export interface RefundWish {
  readonly amount?: number | undefined
  readonly items?: readonly RefundItem[] | undefined
  readonly reason?: string | undefined
}

/** Throws amount_exceeds_refundable, unknown_transaction_item, amount_mismatch. */
export function planRefund(account: Account, { items, reason, ...wish }: RefundWish): OperationPlan {
  const left = refundable(requireAction(account, 'refund'))
  const amount = (items === undefined ? wish.amount : priceOf(account, items, wish.amount)) ?? left
  if (amount > left) {
    const detail = `${formatAmount(left, account.transaction.currency)} can be refunded`
    throw new Problem(problems.amount_exceeds_refundable, { detail, extensions: { amount_refundable: left } })
  }
  return {
    type: 'refund',
    amount,
    ...(reason === undefined ? {} : { reason }),
    ...(items === undefined ? {} : { items }),
  }
}
