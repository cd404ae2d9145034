import type { Caller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { planCapture } from '../domain/action.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeForRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'

/** Captures `amount`, or all that is left; a final capture releases the rest. */
export async function captureTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  { amount, final_capture: final }: RequestOf<typeof paymentProxy.endpoints.captureTransaction>['body'],
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate, now: Date) => planCapture(aggregate, { amount, final }, now)
  return executeForRequest(deps, transactionId, { caller, successStatus: 200, paymentDetails: null, plan })
}
