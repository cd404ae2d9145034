import type { Caller } from '@payments/chassis/caller'
import { newId } from '@payments/chassis/id'
import { begin } from '@payments/chassis/idempotency'
import type { Deps } from '../deps.ts'
import { planAuthorize } from '../domain/action.ts'
import { type Creation, transactionFrom } from '../domain/creation.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { completeRequest } from '../operation/execute.ts'
import { openTransaction } from '../operation/open.ts'
import { authorizationWith, type PaymentDetails, requireCapturePermission } from '../operation/payment.ts'
import type { TransactionResponse } from '../operation/response.ts'
import { handleRepeatedRequest, type OperationStart, startOperation } from '../operation/start.ts'
import type { Tx } from '../store/database.ts'

/**
 * Throws permission_denied, unknown_payment_token, invalid_request, amount_mismatch, external_reference_taken;
 * payment_declined and provider_unreachable, after which the transaction exists and can be completed.
 */
export async function createAndAuthorizeTransaction(
  deps: Deps,
  caller: Caller,
  request: Creation & { payment_details: PaymentDetails },
): Promise<TransactionResponse<201>> {
  if (request.capture) requireCapturePermission(caller)
  const kind = authorizationWith(deps.provider, request.payment_details)
  const start = await deps.db.inTenant(caller.tenantId, (tx) => createAndStart(tx, deps, caller, request))
  return completeRequest(deps, caller, start, kind, 201)
}

async function createAndStart(tx: Tx, deps: Deps, caller: Caller, creation: Creation): Promise<OperationStart> {
  const plan = (aggregate: TransactionAggregate) => planAuthorize(aggregate, creation.capture)
  const operationId = newId()
  const key = await begin(tx, caller, operationId)
  if (key.state === 'completed') return { kind: 'response', stored: key.stored }
  if (key.state === 'in_progress') {
    return handleRepeatedRequest(tx, deps, key.reference, operationId, { caller, successStatus: 201, plan })
  }
  const now = deps.now()
  const transaction = transactionFrom(creation, { id: newId(), tenantId: caller.tenantId, now })
  const aggregate = await openTransaction(tx, caller, transaction, now)
  return startOperation(tx, deps, aggregate, { ...plan(aggregate), id: operationId, traceId: caller.traceId })
}
