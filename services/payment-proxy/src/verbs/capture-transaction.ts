import type { Caller } from '@payments/chassis/base/caller'
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
  requested: { amount: number | undefined; final: boolean },
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate) => planCapture(aggregate, requested, deps.now())
  return executeForRequest(deps, transactionId, { caller, successStatus: 200, paymentDetails: null, plan })
}
