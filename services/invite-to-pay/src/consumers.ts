import { consumeBusinessUnits } from '@payments/business-unit-copies/consumer'
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
import type { Deps } from './deps.ts'
import { applyTransactionEvent } from './verbs/apply-transaction-event.ts'

/** The queue of the events, without prefix. */
export const transactionQueue = 'invite-to-pay.transactions'

const deliveryLimit = 20
const prefetch = 20
const stopTimeoutMs = 8_000

type ConsumerOptions = Pick<EventConsumerOptions, 'broker' | 'trust'>

/** Events of transactions → verb, and events of business-unit → copies. Both queues have the same quarantine. */
export const startConsumers = (deps: Deps, options: ConsumerOptions): readonly Consumer<EventMessage>[] => {
  const { businessUnits: copies, log, metrics } = deps
  const service = 'invite-to-pay'
  return [
    startTransactionConsumer(deps, options),
    consumeBusinessUnits({ copies, service, ...options, log, metrics: metrics.registry }),
  ]
}

/** Starts to consume the events of transactions; `stop` ends it. */
export function startTransactionConsumer(
  deps: Pick<Deps, 'db' | 'vault' | 'sending' | 'paymentProxy' | 'log' | 'metrics'>,
  { broker: { prefix, consuming, publisher }, trust }: ConsumerOptions,
): Consumer<EventMessage> {
  const { log, metrics } = deps
  const exchange = domainEvents(prefix)
  const queue = named(prefix, transactionQueue)
  const own = ownExchange(prefix, 'invite-to-pay')
  const quarantine = { exchange: own, queue: named(prefix, quarantineQueues['invite-to-pay']) }
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
    read: eventReader('invite-to-pay', trust, metrics.registry),
    handle: (event) => applyTransactionEvent(deps, event),
    log,
    metrics: metrics.registry,
  })
}
