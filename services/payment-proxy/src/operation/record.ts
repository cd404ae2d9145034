import { newId } from '@payments/chassis/id'
import { paymentProxy } from '@payments/contracts/payment-proxy'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { eventTypeOf, isInFlight, type Operation, presentOperation } from '../domain/operation.ts'
import { afterOutcome, type Outcome } from '../domain/outcome.ts'
import { amountsOf } from '../domain/status.ts'
import { snapshotOf, type TransactionAggregate } from '../domain/transaction.ts'
import type { Tx } from '../store/database.ts'
import { insertOperation, updateOperation } from '../store/operations.ts'
import { lockAggregate } from '../store/transaction-aggregates.ts'
import { updateTransaction } from '../store/transactions.ts'
import { effectiveOperation, inProgress } from './start.ts'

const authorizationDays = 7
const dayMs = 24 * 60 * 60 * 1000

export interface Recorded {
  readonly aggregate: TransactionAggregate
  /** The operation whose state decides the response of the request. */
  readonly operation: Operation
  /** The capture of an authorization with capture: in progress, leased to this process. */
  readonly next: Operation | null
}

/**
 * Third step: stores the outcome together with amounts, version and event. When another process has recorded an outcome
 * first, nothing changes and the recorded state is returned.
 */
export async function recordOutcome(tx: Tx, deps: Deps, sent: Operation, outcome: Outcome): Promise<Recorded> {
  const { tenantId, transactionId, id } = sent
  const aggregate = await lockAggregate(tx, tenantId, transactionId)
  const before = aggregate?.operations.find((operation) => operation.id === id)
  if (aggregate === null || before === undefined) throw new Error(`operation ${id} does not exist`)
  if (!isInFlight(before)) return { aggregate, operation: effectiveOperation(aggregate, id), next: null }
  const now = deps.now()
  const after = afterOutcome(before, outcome, now)
  if (!(await updateOperation(tx, tenantId, after))) throw new Error(`operation ${id} changed under its lock`)
  const next = captureAfter(aggregate, after, now)
  if (next !== null) await insertOperation(tx, tenantId, next)
  const operations = aggregate.operations.map((operation) => (operation.id === id ? after : operation))
  const isChanged = after.state !== before.state
  const changed: TransactionAggregate = {
    transaction: isChanged ? transactionAfter(aggregate, after, outcome, now) : aggregate.transaction,
    operations: next === null ? operations : [...operations, next],
  }
  if (isChanged) await updateTransaction(tx, tenantId, changed.transaction, amountsOf(changed.operations))
  if (!isInFlight(after)) await emitOutcome(tx, changed, after, now)
  return { aggregate: changed, operation: next ?? after, next }
}

function captureAfter(aggregate: TransactionAggregate, operation: Operation, now: Date): Operation | null {
  if (operation.stage !== 'authorize' || operation.state !== 'succeeded') return null
  const { amount, traceId } = operation
  return inProgress({ type: 'capture', amount, stage: 'capture', id: newId(), traceId }, aggregate, now)
}

function transactionAfter({ transaction }: TransactionAggregate, operation: Operation, outcome: Outcome, now: Date) {
  const changed = { ...transaction, version: transaction.version + 1, updatedAt: now }
  if (operation.type !== 'authorize' || outcome.kind !== 'succeeded') return changed
  return {
    ...changed,
    paymentMethod: outcome.paymentMethod ?? transaction.paymentMethod,
    authorizationExpiresAt: new Date(now.getTime() + authorizationDays * dayMs),
  }
}

async function emitOutcome(tx: Tx, aggregate: TransactionAggregate, operation: Operation, now: Date): Promise<void> {
  const type = eventTypeOf(operation)
  if (type === null) return
  const { tenantId, businessUnitId, version } = aggregate.transaction
  const payload = { transaction: snapshotOf(aggregate, now), operation: presentOperation(operation, now), version }
  await emit(tx, paymentProxy.events, { type, tenantId, businessUnitId, traceId: operation.traceId, payload })
}
