import type { Caller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { planCapture } from '../domain/action.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeForRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'
import { startForRequest } from '../operation/start.ts'

/** Captures `amount`, or all that is left; a final capture releases the rest. */
export async function captureTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  requested: { amount: number | undefined; final: boolean },
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate) => planCapture(aggregate, requested, deps.now())
  const start = await startForRequest(deps, transactionId, { caller, successStatus: 200, plan })
  return executeForRequest(deps, caller, start, {
    successStatus: 200,
    instruction: { kind: 'execute', paymentDetails: null },
  })
}
