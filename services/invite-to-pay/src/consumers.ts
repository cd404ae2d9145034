import { transactionPatterns } from '@payments/contracts/edges/event-patterns'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Consumer } from '@payments/messaging/consume/consume'
import {
  consumeEvents,
  type EventConsumerOptions,
  type EventConsumerParts,
  type EventQueue,
  eventConsumerOptions,
} from '@payments/messaging/consume/consume-events'
import { businessUnitConsumers, businessUnitQueue } from '@payments/service/business-units/consumer'
import { consumeErasureRequests, erasureRequestQueue } from '@payments/service/payers/erasures'
import type { Deps } from './deps.ts'
import { applyTransactionEvent } from './verbs/apply-transaction-event.ts'

const service = 'invite-to-pay'

const transactionQueue: EventQueue = { service, name: `${service}.transactions`, patterns: transactionPatterns }

/** The consumed queues, whose messages may be quarantined. */
export const consumedQueues = [
  transactionQueue.name,
  businessUnitQueue(service).name,
  erasureRequestQueue(service).name,
] as const

/**
 * Events of transactions → verb, events of business-unit → copies, and requests to erase payers → work of the service.
 */
export const startConsumers = (deps: Deps, parts: EventConsumerParts): readonly Consumer<EventMessage>[] => [
  consumeTransactions(deps, eventConsumerOptions(deps, parts)),
  ...businessUnitConsumers(service)(deps, parts),
  consumeErasureRequests(service, deps, parts),
]

/** Starts to apply the events of transactions; `stop` ends it. */
export function consumeTransactions(
  deps: Parameters<typeof applyTransactionEvent>[0],
  options: EventConsumerOptions,
): Consumer<EventMessage> {
  return consumeEvents(transactionQueue, options, (event) => applyTransactionEvent(deps, event))
}
