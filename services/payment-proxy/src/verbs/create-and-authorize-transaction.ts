import type { Caller } from '@payments/chassis/caller'
import { newId } from '@payments/chassis/id'
import { begin } from '@payments/chassis/idempotency'
import type { Deps } from '../deps.ts'
import { planAuthorize } from '../domain/action.ts'
import { type Creation, transactionFrom } from '../domain/creation.ts'
import type { Account } from '../domain/transaction.ts'
import type { Answer } from '../operation/answer.ts'
import { type Begun, resumeOperation, startOperation } from '../operation/begin.ts'
import { conclude } from '../operation/carry-out.ts'
import { openAccount } from '../operation/open.ts'
import { authorizationWith, type PaymentDetails, requireCapturePermission } from '../operation/payment.ts'
import type { Tx } from '../store/database.ts'

/**
 * Throws permission_denied, unknown_payment_token, invalid_request, amount_mismatch, external_reference_taken;
 * payment_declined and provider_unreachable, after which the transaction stands and can be completed.
 */
export async function createAndAuthorizeTransaction(
  deps: Deps,
  caller: Caller,
  request: Creation & { payment_details: PaymentDetails },
): Promise<Answer<201>> {
  if (request.capture) requireCapturePermission(caller)
  const kind = authorizationWith(deps.provider, request.payment_details)
  const begun = await deps.db.inTenant(caller.tenantId, (tx) => beginBoth(tx, deps, caller, request))
  return conclude(deps, caller, begun, kind, 201)
}

async function beginBoth(tx: Tx, deps: Deps, caller: Caller, creation: Creation): Promise<Begun> {
  const plan = (account: Account) => planAuthorize(account, creation.capture)
  const operationId = newId()
  const begun = await begin(tx, caller, operationId)
  if (begun.state === 'completed') return { kind: 'answered', stored: begun.stored }
  if (begun.state === 'in_progress') {
    return resumeOperation(tx, deps, begun.reference, operationId, { caller, done: 201, plan })
  }
  const now = deps.now()
  const transaction = transactionFrom(creation, { id: newId(), tenantId: caller.tenantId, now })
  const account = await openAccount(tx, caller, transaction, now)
  return startOperation(tx, deps, account, { ...plan(account), id: operationId, traceId: caller.traceId })
}
