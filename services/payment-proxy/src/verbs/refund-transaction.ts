import type { Caller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { planRefund, type RefundRequest } from '../domain/refund.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeForRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'
import { startForRequest } from '../operation/start.ts'

/** Refunds `amount`, the price of the items, or the remaining captured amount. */
export async function refundTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  request: RefundRequest,
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate) => planRefund(aggregate, request, deps.now())
  const start = await startForRequest(deps, transactionId, { caller, successStatus: 200, plan })
  return executeForRequest(deps, caller, start, {
    successStatus: 200,
    instruction: { kind: 'execute', paymentDetails: null },
  })
}
