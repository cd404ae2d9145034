import type { Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { begin } from '@payments/chassis/request/idempotency'
import type { PaymentDetails } from '../connectors/connector.ts'
import type { Deps } from '../deps.ts'
import type { UnitCopy } from '../domain/business-unit.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { paymentOf, type TransactionDraft, transactionFrom } from '../domain/transaction-draft.ts'
import {
  type PaymentDetailsBody,
  paymentDetailsOf,
  planAuthorization,
  requireCapturePermission,
} from '../operation/authorization.ts'
import { createTransactionIn } from '../operation/create-transaction.ts'
import { unitFor } from '../operation/current-unit.ts'
import { executeForRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'
import { handleRepeatedRequest, type OperationStart, startOperation } from '../operation/start.ts'
import type { Tx } from '../store/database.ts'

/**
 * Throws permission_denied, business_unit_not_found, business_unit_deleted, payment_orchestrator_unusable,
 * test_mode_not_allowed, unknown_payment_token, invalid_request, amount_mismatch, external_reference_taken;
 * payment_declined and provider_unreachable, after which the transaction exists and can be completed.
 */
export async function createAndAuthorizeTransaction(
  deps: Deps,
  caller: Caller,
  request: TransactionDraft & { payment_details: PaymentDetailsBody },
): Promise<TransactionResponse<201>> {
  if (request.capture) requireCapturePermission(caller)
  const paymentDetails = paymentDetailsOf(request.payment_details)
  const unit = await unitFor(deps, caller, request.business_unit_id, (found) =>
    paymentOf(request, found, paymentDetails.paymentMethod, deps.acceptsTestMode),
  )
  const start = await deps.db.inTenant(caller.tenantId, (tx) =>
    createAndStart(tx, deps, caller, { draft: request, unit, paymentDetails }),
  )
  return executeForRequest(deps, caller, start, { successStatus: 201, paymentDetails })
}

async function createAndStart(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { draft, unit, paymentDetails }: { draft: TransactionDraft; unit: UnitCopy; paymentDetails: PaymentDetails },
): Promise<OperationStart> {
  const plan = (aggregate: TransactionAggregate) =>
    planAuthorization(deps, aggregate, { unit, paymentDetails, capture: draft.capture })
  const operationId = newId()
  const key = await begin(tx, caller, operationId)
  if (key.state === 'completed') return { kind: 'response', stored: key.stored }
  if (key.state === 'unfinished') {
    return handleRepeatedRequest(tx, deps, key.reference, operationId, { caller, successStatus: 201, plan })
  }
  const now = deps.now()
  const { paymentMethod } = paymentDetails
  const { acceptsTestMode } = deps
  const transaction = transactionFrom(draft, unit, paymentMethod, { id: newId(), now, acceptsTestMode })
  const planned = plan({ transaction, operations: [] })
  const aggregate = await createTransactionIn(tx, caller, transaction, now)
  return startOperation(tx, deps, aggregate, { ...planned, id: operationId, traceId: caller.traceId })
}
