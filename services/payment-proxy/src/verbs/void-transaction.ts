import type { Caller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { planVoid } from '../domain/action.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeForRequest } from '../operation/execute.ts'
import { recordOutcome } from '../operation/record.ts'
import { responseOf, type TransactionResponse } from '../operation/response.ts'
import { type OperationStart, type Started, startForRequest, storeResponse } from '../operation/start.ts'
import type { Tx } from '../store/database.ts'

/** Releases the authorized amount that is not captured. Before an authorization, cancels without a provider request. */
export async function voidTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  reason: string | undefined,
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate) => planVoid(aggregate, reason, deps.now())
  const inTransaction = async (tx: Tx, started: Started) =>
    started.operation.amount === 0 ? cancelLocally(tx, deps, caller, started) : started
  const start = await startForRequest(deps, transactionId, { caller, successStatus: 200, plan, inTransaction })
  return executeForRequest(deps, caller, start, { successStatus: 200, paymentDetails: null })
}

async function cancelLocally(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { aggregate, operation }: Started,
): Promise<OperationStart> {
  const { currency } = aggregate.transaction
  const outcome = { kind: 'succeeded', providerReference: null, amount: 0, currency } as const
  const recorded = await recordOutcome(tx, deps, operation, { outcome })
  const stored = responseOf(recorded.aggregate, recorded.operation, 200, deps.now())
  await storeResponse(tx, caller, recorded.operation, stored)
  return { kind: 'response', stored }
}
