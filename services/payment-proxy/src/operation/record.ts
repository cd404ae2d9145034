import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import type { Stored } from '@payments/chassis/request/idempotency'
import { lockKey } from '@payments/chassis/request/idempotency-statements'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { WrittenEvent } from '@payments/messaging/outbox/event-row'
import { handOver } from '@payments/messaging/outbox/hand-over'
import { EventRejected, eventRow } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { isOpen, type Operation, presentState, type Resolution } from '../domain/operation.ts'
import { afterOutcome, contradicts, type Outcome } from '../domain/outcome.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { type BookChange, recordStatement } from '../store/book-statements.ts'
import type { Tx } from '../store/database.ts'
import { insertOperation, updateOperation } from '../store/operations.ts'
import { lockAggregate } from '../store/transaction-aggregates.ts'
import { updateTransaction } from '../store/transactions.ts'
import { emitOutcome, outcomeEvent } from './outcome-event.ts'
import { isFinal } from './response.ts'
import { effectiveOperation, newOperation } from './start.ts'

const authorizationDays = 7
const dayMs = 24 * 60 * 60 * 1000

export interface Recorded {
  readonly aggregate: TransactionAggregate
  /** The recorded operation, or the one that follows it. */
  readonly operation: Operation
  /** The operation that follows an authorization (`followUpOf`): in progress, leased to this process. */
  readonly next: Operation | null
}

export interface SentOperation extends Pick<Operation, 'id' | 'tenantId' | 'transactionId'> {
  /** The attempt that executed the operation. Absent in a report about it. */
  readonly executedAttempt?: number
}

/** An outcome of the provider for an operation, with the decision of a person if it has one. */
export interface Report {
  readonly outcome: Outcome
  readonly resolution?: Resolution
}

/**
 * Third step: stores the outcome together with amounts, version and event. When the operation has ended already,
 * nothing changes and the recorded state is returned, unless the outcome reverses a refund. A contradiction is logged.
 */
export async function recordOutcome(
  tx: Tx,
  deps: Pick<Deps, 'now' | 'log'>,
  sent: SentOperation,
  report: Report,
): Promise<Recorded> {
  const { tenantId, transactionId, id } = sent
  const aggregate = await lockAggregate(tx, tenantId, transactionId)
  const before = aggregate?.operations.find((operation) => operation.id === id)
  if (aggregate === null || before === undefined) throw new Error(`operation ${id} does not exist`)
  const now = deps.now()
  const change = changeBy(report, sent, { aggregate, operation: before }, now)
  if (change === null) {
    if (contradicts(report.outcome, before)) logContradiction(deps, before, report.outcome)
    return { aggregate, operation: effectiveOperation(aggregate, id), next: null }
  }
  const { after, next, isTransactionChanged } = change
  if (!(await updateOperation(tx, tenantId, before, after.operation))) {
    throw new Error(`operation ${id} was claimed meanwhile`)
  }
  if (next !== null) await insertOperation(tx, tenantId, next)
  const { transaction, operations } = after.aggregate
  if (isTransactionChanged) await updateTransaction(tx, tenantId, transaction, operations)
  const emission = outcomeEvent(after.aggregate, after.operation, now)
  if (emission !== null) await emitOutcome(tx, deps, emission, after.operation)
  return recordedBy(change)
}

/**
 * As `recordOutcome`, by one statement, if the rows are as `known`: as this process has read or written them. Undefined
 * when nothing was written: `recordOutcome` decides then. `reply`: the response of a request, from the recorded state.
 */
export async function recordAsKnown(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  sent: SentOperation,
  report: Report,
  known: KnownState,
  reply: RequestReply | null,
): Promise<Recorded | undefined> {
  const now = clock()
  const change = changeBy(report, sent, known, now)
  if (change === null) return undefined
  const recorded = recordedBy(change)
  const stored =
    reply !== null && isReplyFinal(recorded, reply) ? { caller: reply.caller, stored: reply.of(recorded) } : null
  const event = eventOf(db, change, now)
  if (event === 'rejected') return undefined
  const statement = recordStatement(change, stored, event)
  const rows = (
    await db.pipelined<WrittenEvent[][]>(sent.tenantId, [...(reply === null ? [] : lockKey(reply.caller)), statement])
  ).at(-1)
  const [written] = rows ?? []
  if (written === undefined) return undefined
  if (event !== null) handOver(db.commits, event, written)
  return recorded
}

/** Null without an event. `recordOutcome` quarantines one that its contract rejects. */
function eventOf({ commits }: Pick<Deps['db'], 'commits'>, { after }: BookChange, now: Date) {
  const emission = outcomeEvent(after.aggregate, after.operation, now)
  try {
    return emission === null ? null : eventRow(commits, paymentProxy.events, emission)
  } catch (error) {
    if (error instanceof EventRejected) return 'rejected'
    throw error
  }
}

/** The state of an operation and of its transaction, as a process knows it. */
export interface KnownState {
  readonly aggregate: TransactionAggregate
  readonly operation: Operation
}

/** The response of the request that executes an operation. */
export interface RequestReply {
  readonly caller: Caller
  /** The operation that decides the response. */
  readonly effective: (aggregate: TransactionAggregate) => Operation
  readonly of: (recorded: Recorded) => Stored
}

/** Only the response to a final state is stored, and not before what follows an authorization. */
export function isReplyFinal({ aggregate, next }: Recorded, { effective }: RequestReply): boolean {
  return next === null && isFinal(effective(aggregate))
}

function recordedBy({ after, next }: BookChange): Recorded {
  return { aggregate: after.aggregate, operation: next ?? after.operation, next }
}

/** The change by a report. Null: nothing changes. */
function changeBy(
  { outcome: reported, resolution }: Report,
  sent: SentOperation,
  { aggregate, operation: before }: KnownState,
  now: Date,
): BookChange | null {
  const outcome = certain(reported, sent, before)
  const changed = afterOutcome(before, outcome, now)
  if (changed === before) return null
  const after = { ...changed, resolution: resolution ?? before.resolution }
  const next = followUpOf(aggregate, after, now)
  const operations = aggregate.operations.map((operation) => (operation.id === before.id ? after : operation))
  const isShownOtherwise = presentState(after, now) !== presentState(before, now)
  const isTransactionChanged = isShownOtherwise || !isDeepStrictEqual(after.action, before.action)
  const { transaction } = aggregate
  return {
    before: { transaction, operation: before },
    after: {
      operation: after,
      aggregate: {
        transaction: isTransactionChanged ? transactionAfter(aggregate, after, outcome, now) : transaction,
        operations: next === null ? operations : [...operations, next],
      },
    },
    next,
    isTransactionChanged,
  }
}

/** Our books and those of the provider differ: an operator compares them (payctl). */
function logContradiction({ log }: Pick<Deps, 'log'>, operation: Operation, outcome: Outcome): void {
  const { id, transactionId, tenantId, type, state, traceId } = operation
  const ids = { trace_id: traceId, tenant_id: tenantId, transaction_id: transactionId, operation_id: id }
  log.warn({ ...ids, operation_type: type, state, outcome: outcome.kind }, 'the provider contradicts an outcome')
}

/** An attempt that did not reach the provider proves nothing about a later one, which another process started. */
function certain(outcome: Outcome, { executedAttempt }: SentOperation, { attemptCount }: Operation): Outcome {
  const isLast = executedAttempt === undefined || executedAttempt >= attemptCount
  if (isLast || outcome.kind !== 'not_attempted') return outcome
  return { kind: 'unknown', reason: `a later attempt may have been received: ${outcome.reason}` }
}

/** The operation that follows an ended authorization: a void that waited for the end, else the capture if requested. */
function followUpOf(aggregate: TransactionAggregate, operation: Operation, now: Date): Operation | null {
  const { type, stage, state, voidRequest, amount, account, traceId, actor } = operation
  if (type !== 'authorize' || isOpen(operation)) return null
  const hasSucceeded = state === 'succeeded'
  if (voidRequest !== null) {
    const { reason, trace_id, actor: voidedBy } = voidRequest
    const origin = { id: newId(), traceId: trace_id, actor: voidedBy }
    const plan = { type: 'void', amount: hasSucceeded ? amount : 0, ...(reason === null ? {} : { reason }) } as const
    return newOperation({ ...plan, ...origin, account }, aggregate, now)
  }
  if (stage !== 'authorize' || !hasSucceeded) return null
  return newOperation(
    { type: 'capture', amount, stage: 'capture', id: newId(), account, traceId, actor },
    aggregate,
    now,
  )
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
