import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import type { RequestResult } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { leaseUntil } from '../domain/lease.ts'
import { isOpen, newOperation, type Operation, presentState, type Resolution } from '../domain/operation.ts'
import { afterOutcome, contradicts, type Outcome } from '../domain/outcome.ts'
import { replaceOperation, requireOperation, type TransactionAggregate } from '../domain/transaction.ts'
import { accessBooks, booksWithoutKey, changeBooks, type Decision, requireFound } from './books.ts'
import { type OutcomeEvent, outcomeEvent } from './event.ts'

const authorizationDays = 7
const dayMs = 24 * 60 * 60 * 1000

/** An outcome of the provider for an operation, with the decision of a person if it has one. */
export interface ReceivedOutcome {
  readonly outcome: Outcome
  readonly resolution?: Resolution
  /** The attempt that executed the operation. Absent in a report about it. */
  readonly executedAttempt?: number
}

interface DecidedOutcome {
  /** The same object as before when nothing changes. */
  readonly aggregate: TransactionAggregate
  /** The operation that follows an authorization (`planFollowUp`): in progress, leased to this process. */
  readonly next: Operation | null
  readonly event: OutcomeEvent | null
}

/**
 * The transaction after the outcome of an operation: amounts, version and event. When the operation has ended already,
 * nothing changes, unless the outcome reverses a refund.
 */
export function transactionAfterOutcome(
  before: TransactionAggregate,
  operationId: string,
  received: ReceivedOutcome,
  now: Date,
): DecidedOutcome {
  const operation = requireOperation(before, operationId)
  const outcome = certainOutcome(received, operation)
  const changed = afterOutcome(operation, outcome, now)
  if (changed === operation) return { aggregate: before, next: null, event: null }
  const ended = { ...changed, resolution: received.resolution ?? operation.resolution }
  const next = planFollowUp(before, ended, now)
  const isShownOtherwise = presentState(ended, now) !== presentState(operation, now)
  const isTransactionChanged = isShownOtherwise || !isDeepStrictEqual(ended.action, operation.action)
  const { operations } = replaceOperation(before, ended)
  const aggregate = {
    transaction: isTransactionChanged ? transactionAfter(before, ended, outcome, now) : before.transaction,
    operations: next === null ? operations : [...operations, next],
  }
  return { aggregate, next, event: outcomeEvent(aggregate, ended, now) }
}

/** Whose key stores the result of an operation, and the result once it is final. */
export interface ResultToStore {
  readonly caller: Caller
  /** The response, which is stored for repetitions. Null while the operation that decides it has no end. */
  readonly finalResponse: (aggregate: TransactionAggregate) => RequestResult | null
}

/**
 * Records the outcome of an operation, and returns the transaction then. `known`: the transaction as this process has
 * read or written it. A contradiction to a recorded outcome is logged.
 */
export async function recordOutcome(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  { tenantId, transactionId, id }: Operation,
  received: ReceivedOutcome,
  { known, toStore }: { readonly known?: TransactionAggregate; readonly toStore?: ResultToStore | undefined } = {},
): Promise<DecidedOutcome> {
  const access = accessBooks(deps.db, tenantId)
  const assumed = known === undefined ? undefined : booksWithoutKey(known)
  const recorded = await changeBooks(deps, access, { transactionId, assumed }, (books) =>
    decideRecord(deps, requireFound(books).aggregate, id, received, toStore),
  )
  if (recorded === null) throw new Error(`the transaction of operation ${id} changed before each write of its outcome`)
  return recorded
}

export function decideRecord(
  { log, now }: Pick<Deps, 'log' | 'now'>,
  before: TransactionAggregate,
  operationId: string,
  received: ReceivedOutcome,
  toStore?: ResultToStore,
): DecidedOutcome & Decision {
  const recorded = transactionAfterOutcome(before, operationId, received, now())
  const { aggregate: after, next } = recorded
  if (after === before) logContradiction(log, requireOperation(before, operationId), received.outcome)
  // Not before the end of what follows an authorization.
  const stored = next === null && toStore !== undefined ? toStore.finalResponse(after) : null
  if (after === before && stored === null) return { ...recorded, change: null }
  const change = { before, after }
  if (stored === null || toStore === undefined) return { ...recorded, change }
  return { ...recorded, change: { ...change, reply: { caller: toStore.caller, stored } } }
}

/** The provider has recorded something else: an operator compares both (payctl). */
function logContradiction(log: Deps['log'], operation: Operation, outcome: Outcome): void {
  if (!contradicts(outcome, operation)) return
  const { id, transactionId, tenantId, type, state, traceId } = operation
  const ids = { trace_id: traceId, tenant_id: tenantId, transaction_id: transactionId, operation_id: id }
  log.warn({ ...ids, operation_type: type, state, outcome: outcome.kind }, 'the provider contradicts an outcome')
}

/** An attempt that did not reach the provider proves nothing about a later one, which another process started. */
function certainOutcome({ outcome, executedAttempt }: ReceivedOutcome, { attemptCount }: Operation): Outcome {
  const isLast = executedAttempt === undefined || executedAttempt >= attemptCount
  if (isLast || outcome.kind !== 'not_attempted') return outcome
  return { kind: 'unknown', reason: `a later attempt may have been received: ${outcome.reason}` }
}

/** The operation that follows an ended authorization: a void that waited for the end, else the capture if requested. */
function planFollowUp(aggregate: TransactionAggregate, operation: Operation, now: Date): Operation | null {
  const { type, stage, state, voidRequest, amount, accountName, traceId, actor } = operation
  if (type !== 'authorize' || isOpen(operation)) return null
  const leased = { id: newId(), accountName, dueAt: leaseUntil(now) }
  const hasSucceeded = state === 'succeeded'
  if (voidRequest !== null) {
    const { reason, trace_id, actor: voidedBy } = voidRequest
    const plan = { type: 'void', amount: hasSucceeded ? amount : 0, ...(reason === null ? {} : { reason }) } as const
    return newOperation({ ...plan, ...leased, traceId: trace_id, actor: voidedBy }, aggregate, now)
  }
  if (stage !== 'authorize' || !hasSucceeded) return null
  return newOperation({ type: 'capture', amount, stage: 'capture', ...leased, traceId, actor }, aggregate, now)
}

function transactionAfter({ transaction }: TransactionAggregate, operation: Operation, outcome: Outcome, now: Date) {
  const changed = { ...transaction, version: transaction.version + 1, updatedAt: now }
  if (operation.type !== 'authorize' || outcome.kind !== 'succeeded') return changed
  return {
    ...changed,
    paymentMethod: outcome.paymentMethod ?? transaction.paymentMethod,
    authorizationExpiresAt:
      outcome.authorizationExpiresAt ?? new Date(operation.createdAt.getTime() + authorizationDays * dayMs),
  }
}
