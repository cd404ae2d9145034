import { newId } from '@payments/chassis/base/id'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { eventTypeOf, isOpen, type Operation, presentOperation, type Resolution } from '../domain/operation.ts'
import { afterOutcome, contradicts, type Outcome } from '../domain/outcome.ts'
import { snapshotOf, type TransactionAggregate } from '../domain/transaction.ts'
import type { Tx } from '../store/database.ts'
import { insertOperation, updateOperation } from '../store/operations.ts'
import { lockAggregate } from '../store/transaction-aggregates.ts'
import { updateTransaction } from '../store/transactions.ts'
import { effectiveOperation, newOperation } from './start.ts'

const authorizationDays = 7
const dayMs = 24 * 60 * 60 * 1000

export interface Recorded {
  readonly aggregate: TransactionAggregate
  /** The operation whose state decides the response of the request. */
  readonly operation: Operation
  /** The capture of an authorization with capture: in progress, leased to this process. */
  readonly next: Operation | null
}

export interface SentOperation extends Pick<Operation, 'id' | 'tenantId' | 'transactionId'> {
  /** The attempt that executed the operation. Absent in a report about it. */
  readonly executedAttempt?: number
}

/**
 * Third step: stores the outcome together with amounts, version and event. When the operation has ended already,
 * nothing changes and the recorded state is returned, unless the outcome reverses a refund. A contradiction is logged.
 */
export async function recordOutcome(
  tx: Tx,
  deps: Pick<Deps, 'now' | 'log'>,
  sent: SentOperation,
  reported: Outcome,
  resolution: Resolution | null = null,
): Promise<Recorded> {
  const { tenantId, transactionId, id } = sent
  const aggregate = await lockAggregate(tx, tenantId, transactionId)
  const before = aggregate?.operations.find((operation) => operation.id === id)
  if (aggregate === null || before === undefined) throw new Error(`operation ${id} does not exist`)
  const now = deps.now()
  const outcome = certain(reported, sent, before)
  const changedOperation = afterOutcome(before, outcome, now)
  if (changedOperation === before) {
    if (contradicts(outcome, before)) logContradiction(deps, before, outcome)
    return { aggregate, operation: effectiveOperation(aggregate, id), next: null }
  }
  const after = { ...changedOperation, resolution: resolution ?? before.resolution }
  if (!(await updateOperation(tx, tenantId, before, after))) throw new Error(`operation ${id} was claimed meanwhile`)
  const next = captureAfter(aggregate, after, now)
  if (next !== null) await insertOperation(tx, tenantId, next)
  const operations = aggregate.operations.map((operation) => (operation.id === id ? after : operation))
  const isChanged = after.state !== before.state
  const changed: TransactionAggregate = {
    transaction: isChanged ? transactionAfter(aggregate, after, outcome, now) : aggregate.transaction,
    operations: next === null ? operations : [...operations, next],
  }
  if (isChanged) await updateTransaction(tx, tenantId, changed.transaction, changed.operations)
  if (!isOpen(after)) await emitOutcome(tx, changed, after, now)
  return { aggregate: changed, operation: next ?? after, next }
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

function captureAfter(aggregate: TransactionAggregate, operation: Operation, now: Date): Operation | null {
  if (operation.stage !== 'authorize' || operation.state !== 'succeeded') return null
  const { amount, traceId } = operation
  return newOperation({ type: 'capture', amount, stage: 'capture', id: newId(), traceId }, aggregate, now)
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

async function emitOutcome(tx: Tx, aggregate: TransactionAggregate, operation: Operation, now: Date): Promise<void> {
  const type = eventTypeOf(operation)
  if (type === null) return
  const { tenantId, businessUnitId, version } = aggregate.transaction
  const payload = { transaction: snapshotOf(aggregate, now), operation: presentOperation(operation, now), version }
  await emit(tx, paymentProxy.events, { type, tenantId, businessUnitId, traceId: operation.traceId, payload })
}
