import type { Caller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { planRefund, type RefundRequest } from '../domain/refund.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeForRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'

/** Refunds `amount`, the price of the items, or the remaining captured amount. */
export async function refundTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  request: RefundRequest,
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate, now: Date) => planRefund(aggregate, request, now)
  return executeForRequest(deps, transactionId, { caller, successStatus: 200, paymentDetails: null, plan })
}
