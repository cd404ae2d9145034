import { actorName, type Caller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { Problem } from '@payments/contracts/grammar/problem'
import { type paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { type Operation, presentState, type Resolution } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { accessBooks, changeBooks, requireFound, transactionMoved } from '../operation/books.ts'
import { requireEncodable } from '../operation/event.ts'
import { instructProvider } from '../operation/execute.ts'
import { decideRecord } from '../operation/record.ts'
import { currentResponse, type TransactionResponse } from '../operation/response.ts'

type ResolutionRequest = RequestOf<typeof paymentProxy.endpoints.resolveOperation>['body']

/**
 * Records the outcome that a person found out. Resolving an operation again with the same outcome changes nothing.
 * Throws transaction_not_found, operation_not_found, operation_not_in_review, operation_in_progress.
 */
export async function resolveOperation(
  deps: Deps,
  caller: Caller,
  { transaction_id: transactionId, operation_id: operationId }: { transaction_id: string; operation_id: string },
  request: ResolutionRequest,
): Promise<TransactionResponse<200>> {
  const { tenantId } = caller
  const access = accessBooks(deps.db, tenantId)
  const resolved = await changeBooks(deps, access, { transactionId }, (books) => {
    const { aggregate, orchestrator } = requireFound(books)
    return { ...decideResolution(deps, caller, aggregate, operationId, request), orchestrator }
  })
  if (resolved === null) throw transactionMoved()
  const { aggregate, next, orchestrator } = resolved
  if (next === null) return currentResponse(aggregate, deps.now())
  // The capture or void that follows an authorization.
  const following = { aggregate, operation: next, orchestrator }
  const followed = await instructProvider(deps, following, { kind: 'execute', paymentDetails: null })
  return currentResponse(followed, deps.now())
}

function decideResolution(
  deps: Deps,
  { actor }: Caller,
  before: TransactionAggregate,
  operationId: string,
  { outcome, note }: ResolutionRequest,
) {
  const operation = before.operations.find(({ id }) => id === operationId)
  if (operation === undefined) throw new Problem(problems.operation_not_found)
  if (operation.resolution?.outcome === outcome) return { aggregate: before, next: null, change: null }
  const now = deps.now()
  const state = presentState(operation, now)
  if (state !== 'needs_review') {
    throw new Problem(problems.operation_not_in_review, { detail: `The operation is in the state ${state}` })
  }
  const resolution = { outcome, note, resolved_by: actorName(actor), resolved_at: now.toISOString() }
  requireEncodable(before, { ...operation, resolution }, now)
  const { currency } = before.transaction
  return decideRecord(deps, before, operationId, { outcome: resolvedOutcome(outcome, operation, currency), resolution })
}

function resolvedOutcome(
  outcome: Resolution['outcome'],
  { amount, providerReference }: Operation,
  currency: string,
): Outcome {
  switch (outcome) {
    case 'succeeded':
      return { kind: 'succeeded', providerReference, amount, currency }
    case 'declined':
      return {
        kind: 'declined',
        providerReference,
        declineCode: 'processing_error',
        retryable: false,
        providerCode: null,
      }
    case 'not_attempted':
      return { kind: 'not_attempted', reason: 'resolved by a person' }
  }
}
