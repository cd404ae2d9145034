import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { type Emission, encodeEvent } from '@payments/messaging/outbox/outbox'
import { endEventType, isOpen, type Operation, presentOperation } from '../domain/operation.ts'
import { presentSnapshot, type TransactionAggregate } from '../domain/transaction.ts'

export type CreationEvent = Emission<typeof paymentProxy.events, 'payment-proxy.transactions.create'>

/** The type of an event with an operation. */
export type OutcomeType = NonNullable<ReturnType<typeof endEventType>>
export type OutcomeEvent = Emission<typeof paymentProxy.events, OutcomeType>

/** The event of a new transaction, before its first operation. */
export function creationEvent(
  aggregate: TransactionAggregate,
  { traceId }: { readonly traceId: string },
  now: Date,
): CreationEvent {
  const { tenantId, businessUnitId, version } = aggregate.transaction
  const payload = { transaction: presentSnapshot(aggregate, now), operation: null, version }
  return { type: 'payment-proxy.transactions.create', tenantId, businessUnitId, traceId, payload }
}

/** The event of an operation. Null while it is open, and for the first step of two. */
export function outcomeEvent(aggregate: TransactionAggregate, operation: Operation, now: Date): OutcomeEvent | null {
  const type = isOpen(operation) ? null : endEventType(operation)
  return type === null ? null : eventOfType(type, aggregate, operation, now)
}

export function eventOfType(
  type: OutcomeType,
  aggregate: TransactionAggregate,
  operation: Operation,
  now: Date,
): OutcomeEvent {
  const { tenantId, businessUnitId, version } = aggregate.transaction
  const payload = { transaction: presentSnapshot(aggregate, now), operation: presentOperation(operation, now), version }
  return { type, tenantId, businessUnitId, traceId: operation.traceId, payload }
}

/**
 * Proves, before the provider is called, that the event of the operation can be written: whatever a caller supplies is
 * in it, and `provider.ts` cleans what a provider adds. Throws EventRejected: nothing is written or sent then.
 */
export function requireEncodable(aggregate: TransactionAggregate, operation: Operation, now: Date): void {
  encodeEvent(
    paymentProxy.events,
    eventOfType(`payment-proxy.transactions.${operation.type}`, aggregate, operation, now),
  )
}
