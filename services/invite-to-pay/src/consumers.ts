import { businessUnitConsumers, businessUnitQueue } from '@payments/business-unit-copies/consumer'
import { type EventConsumerSettings, eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { transactionPatterns } from '@payments/contracts/edges/event-patterns'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import type { EventMessage } from '@payments/contracts/grammar/event'
import {
  binding,
  domainEvents,
  named,
  ownExchange,
  quorumQueue,
  reachedThrough,
} from '@payments/messaging/broker/topology'
import { type Consumer, consume } from '@payments/messaging/consume/consume'
import { type EventConsumerOptions, eventReader } from '@payments/messaging/consume/event-reader'
import { consumeErasureRequests, payerErasureQueue } from '@payments/payer-erasure/consumer'
import type { Deps } from './deps.ts'
import { applyTransactionEvent } from './verbs/apply-transaction-event.ts'

const service = 'invite-to-pay'

/** The queue of the events of transactions, without prefix. */
const transactionQueue = `${service}.transactions`

/** The consumed queues, whose messages may be quarantined. */
export const consumedQueues = [transactionQueue, businessUnitQueue(service), payerErasureQueue(service)] as const

const deliveryLimit = 20
const prefetch = 20
const stopTimeoutMs = 8_000

type ConsumerOptions = Pick<EventConsumerOptions, 'broker' | 'trust'>

/**
 * Events of transactions → verb, events of business-unit → copies, and requests to erase payers → work of the service.
 * The queues have the same quarantine.
 */
export const startConsumers = (
  deps: Deps,
  parts: Pick<ConsumerOptions, 'broker'> & { readonly config: EventConsumerSettings },
): readonly Consumer<EventMessage>[] => [
  startTransactionConsumer(deps, { broker: parts.broker, trust: eventTrustOf(parts.config) }),
  ...businessUnitConsumers(service)(deps, parts),
  consumeErasureRequests(service, deps, parts),
]

/** Starts to consume the events of transactions; `stop` ends it. */
export function startTransactionConsumer(
  deps: Pick<Deps, 'db' | 'vault' | 'sending' | 'paymentProxy' | 'log' | 'metrics'>,
  { broker: { prefix, consuming, publisher }, trust }: ConsumerOptions,
): Consumer<EventMessage> {
  const { log, metrics } = deps
  const exchange = domainEvents(prefix)
  const queue = named(prefix, transactionQueue)
  const own = ownExchange(prefix, service)
  const quarantine = { exchange: own, queue: named(prefix, quarantineQueues[service]) }
  return consume({
    connection: consuming,
    publisher,
    queue,
    quarantine,
    topology: [
      ...reachedThrough(own, [
        quorumQueue(quarantine.queue, { deliveryLimit: null }),
        quorumQueue(queue, { deliveryLimit, deadLetterTo: quarantine }),
      ]),
      ...transactionPatterns.map((pattern) => binding(queue, exchange, pattern)),
    ],
    prefetch,
    stopTimeoutMs,
    read: eventReader(service, trust, metrics.registry),
    handle: (event) => applyTransactionEvent(deps, event),
    log,
    metrics: metrics.registry,
  })
}
