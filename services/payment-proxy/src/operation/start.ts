import { actorName, type Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { begin, finish, rebind, type Stored } from '@payments/chassis/request/idempotency'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import {
  claimed,
  isLeased,
  isOpen,
  type Operation,
  type OperationOrigin,
  type OperationPlan,
  type PlannedOperation,
} from '../domain/operation.ts'
import { accountNameOf } from '../domain/payment-orchestrator.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { startStatement } from '../store/book-statements.ts'
import { findOrchestrator } from '../store/business-unit-copies.ts'
import type { Tx } from '../store/database.ts'
import { insertOperation, transactionIdOf, updateOperation } from '../store/operations.ts'
import { lockAggregate, readPaymentState, requireLockedAggregate } from '../store/transaction-aggregates.ts'
import { updateTransaction } from '../store/transactions.ts'
import { requireEncodable } from './outcome-event.ts'
import { isFinal, responseOf, type SuccessStatus } from './response.ts'
import { unlessProblem } from './unless-problem.ts'

/**
 * Longer than the provider's time-out and typical transactions around it. A later record finds an ended operation, or
 * one still open, which it completes.
 */
export const leaseMs = 20_000

/** Result of the first step: an operation to execute, or the response of an earlier request with the same key. */
export type OperationStart = Started | { readonly kind: 'response'; readonly stored: Stored }

export type Started = { readonly kind: 'started' } & Execution

/** An operation to execute. The payment orchestrator was read with it: later, no connection may be free for a read. */
export interface Execution {
  readonly aggregate: TransactionAggregate
  readonly operation: Operation
  /** Null without a copy of the business unit. */
  readonly orchestrator: PaymentOrchestrator | null
}

interface OperationRequest {
  readonly caller: Caller
  readonly successStatus: SuccessStatus
  /** May run twice. Throws the problem when the transaction does not allow the operation. */
  readonly plan: (aggregate: TransactionAggregate) => OperationPlan
  /** Ends an operation without an amount, in the transaction that starts it. */
  readonly inTransaction?: (tx: Tx, started: Started) => Promise<OperationStart>
  /** For a request that changes an open operation instead. Null where the operation does not allow the change. */
  readonly changeOpen?: (open: Operation) => Operation | null
  /** The operation that decides the response to a repeated request. Default: `effectiveOperation`. */
  readonly effective?: (aggregate: TransactionAggregate, operationId: string) => Operation
}

/**
 * First step of a request that changes a transaction. Throws transaction_not_found, idempotency_key_in_use,
 * idempotency_key_reused, and the problems of `plan`.
 */
export async function startForRequest(
  deps: Deps,
  transactionId: string,
  request: OperationRequest,
): Promise<OperationStart> {
  const started = await startAsRead(deps, transactionId, request)
  if (started !== undefined) return started
  const { caller, inTransaction = async (_tx, one) => one } = request
  return deps.db.inTenant(caller.tenantId, async (tx) => {
    const start = await startUnderLocks(tx, deps, transactionId, request)
    return start.kind === 'started' ? inTransaction(tx, start) : start
  })
}

/**
 * Reads the rows and starts the operation by one statement, if they are still as read and the key is new. Undefined
 * when nothing was written, for any reason: `startUnderLocks` decides then.
 */
async function startAsRead(
  deps: Deps,
  transactionId: string,
  { caller, plan }: OperationRequest,
): Promise<Started | undefined> {
  const { tenantId } = caller
  const read = await readPaymentState(deps.db, tenantId, transactionId)
  const planned = read === null ? null : unlessProblem(() => plan(read.aggregate))
  // Without an amount, the provider has nothing to do: the operation ends in the transaction that starts it.
  if (read === null || planned === null || planned.amount === 0) return undefined
  const { aggregate: before, orchestrator } = read
  const account = accountOf(orchestrator)
  const { aggregate, operation } = started(before, { ...planned, ...originOf(caller), account }, deps.now())
  const statement = startStatement(caller, before.transaction, aggregate, operation)
  const [rows = []] = await deps.db.pipelined(tenantId, [statement])
  return rows.length === 0 ? undefined : { kind: 'started', aggregate, operation, orchestrator }
}

async function startUnderLocks(
  tx: Tx,
  deps: Deps,
  transactionId: string,
  request: OperationRequest,
): Promise<OperationStart> {
  const { caller } = request
  const operationId = newId()
  const key = await begin(tx, caller, operationId)
  if (key.state === 'completed') return { kind: 'response', stored: key.stored }
  if (key.state === 'unfinished') return handleRepeatedRequest(tx, deps, key.reference, operationId, request)
  const aggregate = await requireLockedAggregate(tx, caller.tenantId, transactionId)
  const changed = await changeOpenOperation(tx, deps, aggregate, request)
  if (changed !== null) return changed
  return startOperation(tx, deps, aggregate, { ...request.plan(aggregate), ...originOf(caller, operationId) })
}

/** Changes and claims the open operation, to which the key then refers. Null: the request starts one of its own. */
async function changeOpenOperation(
  tx: Tx,
  deps: Deps,
  { transaction, operations }: TransactionAggregate,
  { caller, changeOpen }: OperationRequest,
): Promise<Started | null> {
  const open = operations.find(isOpen)
  const change = open === undefined ? null : (changeOpen?.(open) ?? null)
  if (open === undefined || change === null) return null
  const { tenantId } = caller
  await rebind(tx, caller, open.id)
  const operation = claimed(change, leaseUntil(deps.now()))
  requireVoidEncodable({ transaction, operations }, operation, deps.now())
  if (!(await updateOperation(tx, tenantId, open, operation))) throw operationClaimed(open)
  const aggregate = { transaction, operations: operations.map((one) => (one.id === open.id ? operation : one)) }
  const orchestrator = await findOrchestrator(tx, tenantId, transaction)
  return { kind: 'started', aggregate, operation, orchestrator }
}

/** The void that follows the operation has the reason and the actor of its request. */
function requireVoidEncodable(aggregate: TransactionAggregate, operation: Operation, now: Date): void {
  const { voidRequest } = operation
  if (voidRequest === null) return
  requireEncodable(aggregate, { ...operation, reason: voidRequest.reason, actor: voidRequest.actor }, now)
}

/** Another process has claimed the operation since it was read, to query the provider. */
function operationClaimed({ id }: Operation): Problem {
  return new Problem(problems.operation_in_progress, { detail: `The operation ${id} is synced`, retryAfterSeconds: 1 })
}

/**
 * Handles a request whose Idempotency-Key refers to the operation `reference` and has no final response. Returns the
 * current response of that operation, and stores it when it is final. An operation that was never sent starts again as
 * a new row, to which the key then refers.
 */
export async function handleRepeatedRequest(
  tx: Tx,
  deps: Deps,
  reference: string | null,
  operationId: string,
  { caller, successStatus, plan, effective = effectiveOperation }: OperationRequest,
): Promise<OperationStart> {
  const transactionId = reference === null ? null : await transactionIdOf(tx, caller.tenantId, reference)
  const aggregate = transactionId === null ? null : await lockAggregate(tx, caller.tenantId, transactionId)
  if (reference === null || aggregate === null) throw new Error('the idempotency key refers to no operation')
  const now = deps.now()
  const operation = effective(aggregate, reference)
  if (isLeased(operation, now)) throw new Problem(commonProblems.idempotency_key_in_use, { retryAfterSeconds: 1 })
  if (operation.state === 'not_attempted' && operation.stage !== 'capture') {
    await rebind(tx, caller, operationId)
    return startOperation(tx, deps, aggregate, { ...plan(aggregate), ...originOf(caller, operationId) })
  }
  if (caller.idempotency !== null) caller.idempotency.replayed = true
  const stored = responseOf(aggregate, operation, successStatus, now)
  await storeResponse(tx, caller, operation, stored)
  return { kind: 'response', stored }
}

/** An operation that the request of `caller` starts. */
export function originOf(caller: Caller, id: string = newId()): OperationOrigin {
  return { id, traceId: caller.traceId, actor: actorName(caller.actor) }
}

/** Inserts the operation with its lease. The caller holds the lock of the transaction. */
export async function startOperation(
  tx: Tx,
  deps: Deps,
  before: TransactionAggregate,
  plan: OperationPlan & OperationOrigin,
): Promise<Started> {
  const { tenantId } = before.transaction
  const orchestrator = await findOrchestrator(tx, tenantId, before.transaction)
  const { aggregate, operation } = started(before, { ...plan, account: accountOf(orchestrator) }, deps.now())
  await insertOperation(tx, tenantId, operation)
  await updateTransaction(tx, tenantId, aggregate.transaction, aggregate.operations)
  return { kind: 'started', aggregate, operation, orchestrator }
}

export const accountOf = (orchestrator: PaymentOrchestrator | null): string | null =>
  orchestrator === null ? null : accountNameOf(orchestrator)

/** The transaction with one more operation, in progress. Throws EventRejected (outcome-event.ts). */
export function started(
  { transaction, operations }: TransactionAggregate,
  plan: PlannedOperation,
  now: Date,
): { readonly aggregate: TransactionAggregate; readonly operation: Operation } {
  const operation = newOperation(plan, { transaction, operations }, now)
  const changed = { ...transaction, version: transaction.version + 1, updatedAt: now }
  const aggregate = { transaction: changed, operations: [...operations, operation] }
  requireEncodable(aggregate, operation, now)
  return { aggregate, operation }
}

export function newOperation(
  plan: PlannedOperation,
  { transaction, operations }: TransactionAggregate,
  now: Date,
): Operation {
  return {
    id: plan.id,
    tenantId: transaction.tenantId,
    transactionId: transaction.id,
    number: operations.length + 1,
    type: plan.type,
    state: 'in_progress',
    amount: plan.amount,
    amountReleased: plan.amountReleased ?? 0,
    stage: plan.stage ?? null,
    reason: plan.reason ?? null,
    items: plan.items ?? null,
    providerReference: null,
    error: null,
    openReason: null,
    pendingReportedAt: null,
    action: null,
    authentication: null,
    voidRequest: null,
    resolution: null,
    attemptCount: 1,
    dueAt: leaseUntil(now),
    account: plan.account,
    traceId: plan.traceId,
    actor: plan.actor,
    createdAt: now,
    completedAt: null,
  }
}

export function leaseUntil(now: Date): Date {
  return new Date(now.getTime() + leaseMs)
}

/**
 * The operation whose state decides the response: the started operation, or the capture that follows it in an
 * authorization with capture.
 */
export function effectiveOperation(aggregate: TransactionAggregate, operationId: string): Operation {
  const { operations } = aggregate
  const started = requireOperation(aggregate, operationId)
  const isFollowed = started.stage === 'authorize' && started.state === 'succeeded'
  const capture = operations.find(({ number, stage }) => number === started.number + 1 && stage === 'capture')
  return (isFollowed ? capture : undefined) ?? started
}

/** As `effectiveOperation`, for a void: where it waited for the end of an authorization, the void that follows. */
export function effectiveVoid(aggregate: TransactionAggregate, operationId: string): Operation {
  const { operations } = aggregate
  const { type, number } = requireOperation(aggregate, operationId)
  const following = operations.find((one) => one.number === number + 1 && one.type === 'void')
  return (type === 'authorize' ? following : undefined) ?? requireOperation(aggregate, operationId)
}

function requireOperation({ operations }: TransactionAggregate, operationId: string): Operation {
  const found = operations.find(({ id }) => id === operationId)
  if (found === undefined) throw new Error(`operation ${operationId} does not belong to the transaction`)
  return found
}

/** Stores a final response for replays; does nothing for other responses. */
export async function storeResponse(tx: Tx, caller: Caller, operation: Operation, stored: Stored): Promise<void> {
  if (isFinal(operation)) await finish(tx, caller, stored)
}
