import type { CallerWith } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { transactionFrom } from '../domain/transaction-draft.ts'
import { planAuthorizationInUnit, requireCapturePermission, toPaymentDetails } from '../operation/authorization.ts'
import { unitForDraft } from '../operation/current-unit.ts'
import { executeForRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'

/**
 * Throws permission_denied, business_unit_not_found, business_unit_deleted, payment_orchestrator_unusable,
 * test_mode_not_allowed, unknown_payment_token, invalid_request, amount_mismatch, external_reference_taken;
 * payment_declined and provider_unreachable, after which the transaction exists and can be completed.
 */
export async function createAndAuthorizeTransaction(
  deps: Deps,
  caller: CallerWith<'transaction:CaptureTransaction'>,
  request: RequestOf<typeof paymentProxy.endpoints.createAndAuthorizeTransaction>['body'],
): Promise<TransactionResponse<201>> {
  if (request.capture) requireCapturePermission(caller)
  const paymentDetails = toPaymentDetails(request.payment_details, request.return_url)
  const unit = await unitForDraft(deps, caller, request, paymentDetails.paymentMethod)
  return executeForRequest(deps, null, {
    caller,
    successStatus: 201,
    paymentDetails,
    plan: (aggregate, now) =>
      planAuthorizationInUnit(deps, aggregate, { unit, paymentDetails, capture: request.capture }, now),
    create: (now) => {
      const created = { id: newId(), now, acceptsTestMode: deps.acceptsTestMode }
      const transaction = transactionFrom(request, unit, paymentDetails.paymentMethod, created)
      const orchestrator = unit.paymentOrchestrators.find(({ id }) => id === transaction.paymentOrchestratorId) ?? null
      return { aggregate: { transaction, operations: [] }, orchestrator }
    },
  })
}
