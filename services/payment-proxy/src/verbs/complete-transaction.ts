import type { Caller } from '@payments/chassis/caller'
import type { Deps } from '../deps.ts'
import { planAuthorize } from '../domain/action.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { completeRequest } from '../operation/execute.ts'
import { authorizationWith, type PaymentDetails, requireCapturePermission } from '../operation/payment.ts'
import type { TransactionResponse } from '../operation/response.ts'
import { startForRequest } from '../operation/start.ts'

/** Authorizes a pending transaction. `capture` overrides the choice of its creation. */
export async function completeTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  request: { payment_details: PaymentDetails; capture?: boolean | undefined },
): Promise<TransactionResponse<200>> {
  const kind = authorizationWith(deps.provider, request.payment_details)
  const plan = (aggregate: TransactionAggregate) => {
    const capture = request.capture ?? aggregate.transaction.capture
    if (capture) requireCapturePermission(caller)
    return planAuthorize(aggregate, capture)
  }
  const start = await deps.db.inTenant(caller.tenantId, (tx) =>
    startForRequest(tx, deps, transactionId, { caller, successStatus: 200, plan }),
  )
  return completeRequest(deps, caller, start, kind, 200)
}
