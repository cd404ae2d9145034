import type { Caller } from '@payments/chassis/caller'
import type { Deps } from '../deps.ts'
import { planCapture } from '../domain/action.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { completeRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'
import { startForRequest } from '../operation/start.ts'

/** Captures `amount`, or all that is left; a final capture releases the rest. */
export async function captureTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  requested: { amount: number | undefined; final: boolean },
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate) => planCapture(aggregate, requested)
  const start = await deps.db.inTenant(caller.tenantId, (tx) =>
    startForRequest(tx, deps, transactionId, { caller, successStatus: 200, plan }),
  )
  return completeRequest(deps, caller, start, { do: 'follow_up' }, 200)
}
