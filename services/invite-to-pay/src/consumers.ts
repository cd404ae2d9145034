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
import { type ConsumeOptions, type Consumer, consume } from '@payments/messaging/consume/consume'
import { type EventTrust, eventReader } from '@payments/messaging/consume/event-reader'
import type { Deps } from './deps.ts'
import { applyTransactionEvent } from './verbs/apply-transaction-event.ts'

/** The queue of the events, without prefix. */
export const transactionQueue = 'invite-to-pay.transactions'

const deliveryLimit = 20
const prefetch = 20
const stopTimeoutMs = 8_000

export interface ConsumerOptions
  extends Pick<ConsumeOptions<EventMessage>, 'connection' | 'publisher' | 'log' | 'metrics'> {
  readonly prefix: string
  readonly trust: EventTrust
}

/** Starts to consume the events of transactions; `stop` ends it. The queue of copies has the same quarantine. */
export function startConsumer(
  deps: Pick<Deps, 'db' | 'vault' | 'sending' | 'paymentProxy'>,
  { prefix, trust, ...shared }: ConsumerOptions,
): Consumer<EventMessage> {
  const exchange = domainEvents(prefix)
  const queue = named(prefix, transactionQueue)
  const own = ownExchange(prefix, 'invite-to-pay')
  const quarantine = { exchange: own, queue: named(prefix, quarantineQueues['invite-to-pay']) }
  return consume({
    ...shared,
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
    read: eventReader('invite-to-pay', trust, shared.metrics),
    handle: (event) => applyTransactionEvent(deps, event),
  })
}

/** Null, or the reason why events do not arrive. */
export function checkOf(consumer: Consumer<EventMessage>): string | null {
  const readiness = consumer.ready()
  return readiness.ready ? null : readiness.reason
}
