import type { Caller } from '@payments/chassis/caller'
import type { Deps } from '../deps.ts'
import { planAuthorize } from '../domain/action.ts'
import type { Account } from '../domain/transaction.ts'
import type { Answer } from '../operation/answer.ts'
import { beginOperation } from '../operation/begin.ts'
import { conclude } from '../operation/carry-out.ts'
import { authorizationWith, type PaymentDetails, requireCapturePermission } from '../operation/payment.ts'

/** Whether it captures too is said by `capture`, or else was said when the transaction was created. */
export async function completeTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  request: { payment_details: PaymentDetails; capture?: boolean | undefined },
): Promise<Answer<200>> {
  const kind = authorizationWith(deps.provider, request.payment_details)
  const plan = (account: Account) => {
    const capture = request.capture ?? account.transaction.capture
    if (capture) requireCapturePermission(caller)
    return planAuthorize(account, capture)
  }
  const begun = await deps.db.inTenant(caller.tenantId, (tx) =>
    beginOperation(tx, deps, transactionId, { caller, done: 200, plan }),
  )
  return conclude(deps, caller, begun, kind, 200)
}
