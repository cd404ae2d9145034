import { actorName, type Caller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { planVoid } from '../domain/action.ts'
import { awaitsPayer, isLeased, type Operation } from '../domain/operation.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { executeForRequest } from '../operation/execute.ts'
import { effectiveVoid, type TransactionResponse } from '../operation/response.ts'

/**
 * Releases the authorized amount that is not captured. Before an authorization, cancels without a provider request. An
 * authorization that waits for the payer is canceled at the provider first: whatever its outcome, the void follows.
 */
export function voidTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  reason: string | undefined,
): Promise<TransactionResponse<200>> {
  return executeForRequest(deps, transactionId, {
    caller,
    successStatus: 200,
    paymentDetails: null,
    plan: (aggregate: TransactionAggregate, now: Date) => planVoid(aggregate, reason, now),
    changeOpen: (open, now) => withVoid(open, caller, reason, now),
    effective: effectiveVoid,
  })
}

/** An authorization that waits for the payer, with the void that follows its end. Null: another open operation. */
function withVoid(
  open: Operation,
  { traceId, actor }: Caller,
  reason: string | undefined,
  now: Date,
): Operation | null {
  if (!awaitsPayer(open) || isLeased(open, now)) return null
  const origin = { trace_id: traceId, actor: actorName(actor), requested_at: now.toISOString() }
  const requested = { reason: reason ?? null, ...origin }
  return { ...open, voidRequest: open.voidRequest ?? requested }
}
