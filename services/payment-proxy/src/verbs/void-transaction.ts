import { actorName, type Caller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { planVoid } from '../domain/action.ts'
import { isLeased, mustCancel, type Operation, waitsForPayer } from '../domain/operation.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeForRequest } from '../operation/execute.ts'
import { recordOutcome } from '../operation/record.ts'
import { responseOf, type TransactionResponse } from '../operation/response.ts'
import { effectiveVoid, type OperationStart, type Started, startForRequest, storeResponse } from '../operation/start.ts'
import type { Tx } from '../store/database.ts'

/**
 * Releases the authorized amount that is not captured. Before an authorization, cancels without a provider request. An
 * authorization that waits for the payer is canceled at the provider first: whatever its outcome, the void follows.
 */
export async function voidTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  reason: string | undefined,
): Promise<TransactionResponse<200>> {
  const plan = (aggregate: TransactionAggregate) => planVoid(aggregate, reason, deps.now())
  const inTransaction = async (tx: Tx, started: Started) =>
    started.operation.amount === 0 ? cancelLocally(tx, deps, caller, started) : started
  const changeOpen = (open: Operation) => withVoid(open, caller, reason, deps.now())
  const request = { caller, successStatus: 200, plan, inTransaction, changeOpen, effective: effectiveVoid } as const
  const start = await startForRequest(deps, transactionId, request)
  const instruction = instructionFor(start, deps.now())
  return executeForRequest(deps, caller, start, { successStatus: 200, instruction, effective: effectiveVoid })
}

function instructionFor(start: OperationStart, now: Date) {
  const isCancellation = start.kind === 'started' && mustCancel(start.operation, now)
  return isCancellation
    ? ({ kind: 'cancel', reason: 'requested' } as const)
    : ({ kind: 'execute', paymentDetails: null } as const)
}

/** An authorization that waits for the payer, with the void that follows its end. Null: another open operation. */
function withVoid(
  open: Operation,
  { traceId, actor }: Caller,
  reason: string | undefined,
  now: Date,
): Operation | null {
  if (!waitsForPayer(open) || isLeased(open, now)) return null
  const origin = { trace_id: traceId, actor: actorName(actor), requested_at: now.toISOString() }
  const requested = { reason: reason ?? null, ...origin }
  return { ...open, voidRequest: open.voidRequest ?? requested }
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
