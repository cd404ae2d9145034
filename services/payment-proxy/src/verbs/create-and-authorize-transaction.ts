import type { Caller, CallerWith } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { begin } from '@payments/chassis/request/idempotency'
import type { PaymentDetails } from '../connectors/connector.ts'
import type { Deps } from '../deps.ts'
import type { UnitCopy } from '../domain/business-unit.ts'
import type { Transaction, TransactionAggregate } from '../domain/transaction.ts'
import { paymentOf, type TransactionDraft, transactionFrom } from '../domain/transaction-draft.ts'
import {
  type PaymentDetailsBody,
  paymentDetailsOf,
  planAuthorization,
  requireCapturePermission,
} from '../operation/authorization.ts'
import { createTransactionIn, creationEvent, insertAtOnce } from '../operation/create-transaction.ts'
import { unitFor } from '../operation/current-unit.ts'
import { executeForRequest } from '../operation/execute.ts'
import type { TransactionResponse } from '../operation/response.ts'
import {
  accountOf,
  handleRepeatedRequest,
  type OperationStart,
  originOf,
  type Started,
  started,
  startOperation,
} from '../operation/start.ts'
import { unlessProblem } from '../operation/unless-problem.ts'
import type { Tx } from '../store/database.ts'

/**
 * Throws permission_denied, business_unit_not_found, business_unit_deleted, payment_orchestrator_unusable,
 * test_mode_not_allowed, unknown_payment_token, invalid_request, amount_mismatch, external_reference_taken;
 * payment_declined and provider_unreachable, after which the transaction exists and can be completed.
 */
export async function createAndAuthorizeTransaction(
  deps: Deps,
  caller: CallerWith<'transaction:CaptureTransaction'>,
  request: TransactionDraft & { payment_details: PaymentDetailsBody; return_url?: string | undefined },
): Promise<TransactionResponse<201>> {
  if (request.capture) requireCapturePermission(caller)
  const paymentDetails = paymentDetailsOf(request.payment_details, request.return_url)
  const unit = await unitFor(deps, caller, request.business_unit_id, (found) =>
    paymentOf(request, found, paymentDetails.paymentMethod, { acceptsTestMode: deps.acceptsTestMode, now: deps.now() }),
  )
  const payment = { draft: request, unit, paymentDetails }
  const start =
    (await createAtOnce(deps, caller, payment)) ??
    (await deps.db.inTenant(caller.tenantId, (tx) => createAndStart(tx, deps, caller, payment)))
  return executeForRequest(deps, caller, start, {
    successStatus: 201,
    instruction: { kind: 'execute', paymentDetails },
  })
}

interface Payment {
  readonly draft: TransactionDraft
  readonly unit: UnitCopy
  readonly paymentDetails: PaymentDetails
}

/** Throws what the unit or the token does not allow. */
function planOf(deps: Deps, { draft, unit, paymentDetails }: Payment) {
  return (aggregate: TransactionAggregate) =>
    planAuthorization(deps, aggregate, { unit, paymentDetails, capture: draft.capture })
}

function transactionOf(deps: Deps, { draft, unit, paymentDetails }: Payment, now: Date): Transaction {
  const { acceptsTestMode } = deps
  return transactionFrom(draft, unit, paymentDetails.paymentMethod, { id: newId(), now, acceptsTestMode })
}

/**
 * Creates the transaction with its operation by one statement. Undefined for a key that is not new, or a payment that
 * is not allowed: `createAndStart` decides then.
 */
async function createAtOnce(deps: Deps, caller: Caller, payment: Payment): Promise<Started | undefined> {
  const now = deps.now()
  const created = unlessProblem(() => {
    const aggregate = { transaction: transactionOf(deps, payment, now), operations: [] }
    return { aggregate, plan: planOf(deps, payment)(aggregate) }
  })
  if (created === null) return undefined
  const { aggregate: before, plan } = created
  const { paymentOrchestratorId } = before.transaction
  const orchestrator = payment.unit.paymentOrchestrators.find(({ id }) => id === paymentOrchestratorId) ?? null
  const account = accountOf(orchestrator)
  const { aggregate, operation } = started(before, { ...plan, ...originOf(caller), account }, now)
  const isWritten = await insertAtOnce(deps, caller, aggregate, {
    reference: operation.id,
    event: creationEvent(before, caller, now),
  })
  if (!isWritten) return undefined
  return { kind: 'started', aggregate, operation, orchestrator }
}

async function createAndStart(tx: Tx, deps: Deps, caller: Caller, payment: Payment): Promise<OperationStart> {
  const plan = planOf(deps, payment)
  const operationId = newId()
  const key = await begin(tx, caller, operationId)
  if (key.state === 'completed') return { kind: 'response', stored: key.stored }
  if (key.state === 'unfinished') {
    return handleRepeatedRequest(tx, deps, key.reference, operationId, { caller, successStatus: 201, plan })
  }
  const now = deps.now()
  const transaction = transactionOf(deps, payment, now)
  const planned = plan({ transaction, operations: [] })
  const aggregate = await createTransactionIn(tx, caller, transaction, now)
  return startOperation(tx, deps, aggregate, { ...planned, ...originOf(caller, operationId) })
}
