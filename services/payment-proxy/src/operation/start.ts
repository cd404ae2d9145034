import { actorName, type Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { keyInUse, type RequestResult } from '@payments/chassis/request/idempotency'
import type { PaymentDetails } from '../connectors/connector.ts'
import type { Deps } from '../deps.ts'
import { leaseOperation, leaseUntil } from '../domain/lease.ts'
import { isLeased, isOpen, newOperation, type Operation, type OperationPlan } from '../domain/operation.ts'
import { withoutAmount } from '../domain/outcome.ts'
import { nameAccount } from '../domain/payment-orchestrator.ts'
import { replaceOperation, type TransactionAggregate } from '../domain/transaction.ts'
import {
  accessBooks,
  type Books,
  changeBooks,
  type Decision,
  type FoundBooks,
  nothingStored,
  requireFound,
  transactionMoved,
} from './books.ts'
import { creationEvent, requireEncodable } from './event.ts'
import { transactionAfterOutcome } from './record.ts'
import { effectiveOperation, isFinal, type SuccessStatus, toResult } from './response.ts'

/**
 * An open operation that this process has leased, with its books. The payment orchestrator was read with them: later,
 * no connection may be free for a read.
 */
export interface LeasedOperation extends FoundBooks {
  readonly operation: Operation
}

/** A request that moves money, or cancels that. */
export interface PaymentRequest<Success extends SuccessStatus = SuccessStatus> {
  readonly caller: Caller
  readonly successStatus: Success
  readonly paymentDetails: PaymentDetails | null
  /** Throws the problem when the transaction does not allow the operation. */
  readonly plan: (aggregate: TransactionAggregate, now: Date) => OperationPlan
  /** The new transaction of a request that creates one. Throws when it is not allowed. */
  readonly create?: (now: Date) => FoundBooks
  /** For a request that changes an open operation instead. Null where the operation does not allow the change. */
  readonly changeOpen?: (open: Operation, now: Date) => Operation | null
  /** The operation that decides the response. Default: `effectiveOperation`. */
  readonly effective?: (aggregate: TransactionAggregate, operationId: string) => Operation
}

type Start = Decision &
  (
    | { readonly kind: 'started'; readonly leased: LeasedOperation }
    | { readonly kind: 'response'; readonly stored: RequestResult }
  )

/**
 * The first step of a request: starts its operation, or finds the response to an earlier request with the key. Without
 * a `transactionId`, the request creates the transaction. Throws transaction_not_found, idempotency_key_in_use,
 * idempotency_key_reused, operation_in_progress, and the problems of `plan` and `create`.
 */
export async function startForRequest(
  deps: Deps,
  transactionId: string | null,
  request: PaymentRequest,
): Promise<Start> {
  const access = accessBooks(deps.db, request.caller.tenantId)
  const { idempotency } = request.caller
  const assumed = transactionId === null ? nothingStored : undefined
  const start = await changeBooks(deps, access, { transactionId, idempotency, assumed }, (books) =>
    decideStart(books, request, deps.now()),
  )
  if (start === null) throw transactionMoved()
  return start
}

function decideStart(books: Books, request: PaymentRequest, now: Date): Start {
  const { key } = books
  if (key.state === 'completed') return { kind: 'response', stored: key.stored, change: null }
  if (key.state === 'unfinished') return decideRepetition(books, key.reference, request, now)
  return changeOpenOperation(books, request, now) ?? startForKey(books, request, { now, replaced: null })
}

/**
 * For a request whose Idempotency-Key refers to the operation `reference` and has no final response: the response of
 * that operation, which is stored when it is final. An operation that was never sent starts again as a new one.
 */
function decideRepetition(books: Books, reference: string | null, request: PaymentRequest, now: Date): Start {
  const { caller, successStatus, effective = effectiveOperation } = request
  const { aggregate } = books
  if (reference === null || aggregate === null) throw new Error('the idempotency key refers to no operation')
  const operation = effective(aggregate, reference)
  if (isLeased(operation, now)) throw keyInUse()
  if (operation.state === 'not_attempted' && operation.stage !== 'capture') {
    return startForKey(books, request, { now, replaced: reference })
  }
  if (caller.idempotency !== null) caller.idempotency.replayed = true
  const stored = toResult(aggregate, operation, successStatus, now)
  const change = isFinal(operation) ? { before: aggregate, after: aggregate, reply: { caller, stored } } : null
  return { kind: 'response', stored, change }
}

/** Changes and leases the open operation, to which the key then refers. Null: the request starts another operation. */
function changeOpenOperation(books: Books, { caller, changeOpen }: PaymentRequest, now: Date): Start | null {
  const { aggregate: before, orchestrator } = books
  const open = before?.operations.find(isOpen)
  const changed = open === undefined ? null : (changeOpen?.(open, now) ?? null)
  if (before === null || changed === null) return null
  const operation = leaseOperation(changed, now)
  const after = replaceOperation(before, operation)
  requireVoidEncodable(after, operation, now)
  const key = { caller, reference: operation.id, stored: null, replaced: null }
  return {
    kind: 'started',
    leased: { aggregate: after, operation, orchestrator },
    change: { before, after, key },
  }
}

/** The void that follows the operation has the reason and the actor of its request. */
function requireVoidEncodable(aggregate: TransactionAggregate, operation: Operation, now: Date): void {
  const { voidRequest } = operation
  if (voidRequest === null) return
  requireEncodable(aggregate, { ...operation, reason: voidRequest.reason, actor: voidRequest.actor }, now)
}

/** Starts the operation of a request, to which the key then refers. Creates the transaction, if the request does. */
function startForKey(
  books: Books,
  request: PaymentRequest,
  { now, replaced }: { now: Date; replaced: string | null },
): Start {
  const { caller, create, plan, successStatus } = request
  const created = books.aggregate === null ? create?.(now) : undefined
  const found = created ?? requireFound(books)
  const before = found.aggregate
  const initiator = { id: newId(), traceId: caller.traceId, actor: actorName(caller.actor) }
  const leased = startOperation(found, { ...plan(before, now), ...initiator }, now)
  const { operation } = leased
  const key = { caller, reference: operation.id, stored: null, replaced }
  if (created !== undefined) {
    const change = { before: null, after: leased.aggregate, key }
    return { kind: 'started', leased, change, event: creationEvent(before, caller, now) }
  }
  if (operation.amount > 0) return { kind: 'started', leased, change: { before, after: leased.aggregate, key } }
  // Without an amount, the operation ends as it starts.
  const outcome = withoutAmount(before.transaction.currency)
  const { aggregate: after, event } = transactionAfterOutcome(leased.aggregate, operation.id, { outcome }, now)
  const stored = toResult(after, effectiveOperation(after, operation.id), successStatus, now)
  return { kind: 'response', stored, change: { before, after, key: { ...key, stored } }, event }
}

/**
 * The transaction with one more operation, in progress and leased to this process. Throws an error when the event of
 * the operation could not be written.
 */
export function startOperation(
  { aggregate: before, orchestrator }: FoundBooks,
  plan: OperationPlan & Pick<Operation, 'id' | 'traceId' | 'actor'>,
  now: Date,
): LeasedOperation {
  const accountName = orchestrator === null ? null : nameAccount(orchestrator)
  const operation = newOperation({ ...plan, accountName, dueAt: leaseUntil(now) }, before, now)
  const transaction = { ...before.transaction, version: before.transaction.version + 1, updatedAt: now }
  const aggregate = { transaction, operations: [...before.operations, operation] }
  requireEncodable(aggregate, operation, now)
  return { aggregate, operation, orchestrator }
}
