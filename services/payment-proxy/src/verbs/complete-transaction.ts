import type { CallerWith } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { planAuthorizationInUnit, requireCapturePermission, toPaymentDetails } from '../operation/authorization.ts'
import { unitForAuthorization } from '../operation/current-unit.ts'
import { executeForRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'

/** Authorizes a pending transaction. `capture` overrides the choice of its creation. */
export async function completeTransaction(
  deps: Deps,
  caller: CallerWith<'transaction:CaptureTransaction'>,
  transactionId: string,
  request: RequestOf<typeof paymentProxy.endpoints.completeTransaction>['body'],
): Promise<TransactionResponse<200>> {
  const paymentDetails = toPaymentDetails(request.payment_details, request.return_url)
  const unit = await unitForAuthorization(deps, caller, transactionId, paymentDetails.paymentMethod)
  const plan = (aggregate: TransactionAggregate, now: Date) => {
    const capture = request.capture ?? aggregate.transaction.capture
    if (capture) requireCapturePermission(caller)
    return planAuthorizationInUnit(deps, aggregate, { unit, paymentDetails, capture }, now)
  }
  return executeForRequest(deps, transactionId, { caller, successStatus: 200, paymentDetails, plan })
}
