import type { Caller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { planVoid } from '../domain/action.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeForRequest } from '../operation/execute.ts'
import { recordOutcome } from '../operation/record.ts'
import { responseOf, type TransactionResponse } from '../operation/response.ts'
import { type OperationStart, startForRequest, storeResponse } from '../operation/start.ts'
import type { Tx } from '../store/database.ts'

/** Releases the authorized amount that is not captured. Before an authorization, cancels without a provider request. */
export async function voidTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  reason: string | undefined,
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate) => planVoid(aggregate, reason, deps.now())
  const start = await deps.db.inTenant(caller.tenantId, async (tx) => {
    const started = await startForRequest(tx, deps, transactionId, { caller, successStatus: 200, plan })
    const isLocal = started.kind === 'started' && started.operation.amount === 0
    return isLocal ? cancelLocally(tx, deps, caller, started) : started
  })
  return executeForRequest(deps, caller, start, { successStatus: 200, paymentDetails: null })
}

async function cancelLocally(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { aggregate, operation }: Extract<OperationStart, { kind: 'started' }>,
): Promise<OperationStart> {
  const { currency } = aggregate.transaction
  const outcome = { kind: 'succeeded', providerReference: null, amount: 0, currency } as const
  const recorded = await recordOutcome(tx, deps, operation, outcome)
  const stored = responseOf(recorded.aggregate, recorded.operation, 200, deps.now())
  await storeResponse(tx, caller, recorded.operation, stored)
  return { kind: 'response', stored }
}
