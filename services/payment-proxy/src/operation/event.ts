import { newId } from '@payments/chassis/base/id'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { type Emission, EventRejected, emit, encodeEvent } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { eventTypeOf, isOpen, type Operation, presentOperation } from '../domain/operation.ts'
import { snapshotOf, type TransactionAggregate } from '../domain/transaction.ts'
import type { Tx } from '../store/database.ts'
import { insertQuarantinedEvent } from '../store/quarantined-events.ts'

/** The type of an event with an operation. */
export type OutcomeType = NonNullable<ReturnType<typeof eventTypeOf>>
type OutcomeEmission = Emission<typeof paymentProxy.events, OutcomeType>

/** The event of an operation. Null while it is open, and for the first step of two. */
export function outcomeEvent(aggregate: TransactionAggregate, operation: Operation, now: Date): OutcomeEmission | null {
  const type = isOpen(operation) ? null : eventTypeOf(operation)
  return type === null ? null : eventOfType(type, aggregate, operation, now)
}

export function eventOfType(
  type: OutcomeType,
  aggregate: TransactionAggregate,
  operation: Operation,
  now: Date,
): OutcomeEmission {
  const { tenantId, businessUnitId, version } = aggregate.transaction
  const payload = { transaction: snapshotOf(aggregate, now), operation: presentOperation(operation, now), version }
  return { type, tenantId, businessUnitId, traceId: operation.traceId, payload }
}

/**
 * Proves, before the provider is called, that the event of the operation can be written: whatever a caller supplies is
 * in it, and the host of connectors cleans what a provider adds. Throws EventRejected: nothing is written or sent then.
 */
export function requireEncodable(aggregate: TransactionAggregate, operation: Operation, now: Date): void {
  encodeEvent(
    paymentProxy.events,
    eventOfType(`payment-proxy.transactions.${operation.type}`, aggregate, operation, now),
  )
}

/**
 * Emits the event of an outcome. An event that its contract rejects does not undo what happened at the provider: the
 * outcome is recorded, and operators get the event in the quarantine (quarantined-events.ts).
 */
export async function emitOutcome(
  tx: Tx,
  { log, now }: Pick<Deps, 'log' | 'now'>,
  emission: OutcomeEmission,
  { id: operationId, transactionId }: Operation,
): Promise<void> {
  try {
    await emit(tx, paymentProxy.events, emission)
  } catch (error) {
    if (!(error instanceof EventRejected)) throw error
    const { type, tenantId, traceId } = emission
    const event = { id: newId(), tenantId, transactionId, operationId, type, reason: error.message, createdAt: now() }
    await insertQuarantinedEvent(tx, tenantId, event)
    const ids = { trace_id: traceId, tenant_id: tenantId, transaction_id: transactionId, operation_id: operationId }
    log.error({ ...ids, event_type: type, reason: error.message }, 'the event of an outcome is quarantined')
  }
}
