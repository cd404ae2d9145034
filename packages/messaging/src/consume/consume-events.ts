import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Metrics } from '@payments/chassis/process/metrics'
import { type ConsumingService, quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Broker } from '../broker/broker.ts'
import {
  binding,
  domainEvents,
  named,
  ownExchange,
  quorumQueue,
  reachedThrough,
  type Topology,
} from '../broker/topology.ts'
import { type Consumer, consume } from './consume.ts'
import { eventReader } from './event-reader.ts'

const deliveryLimit = 20
const prefetch = 20
/** Within the 10 s that a process has to drain. */
const stopTimeoutMs = 8_000

/** A queue of a service that receives domain events. */
export interface EventQueue {
  readonly service: ConsumingService
  /** Without prefix. */
  readonly name: string
  /** Of the types of events. */
  readonly patterns: readonly string[]
}

/** The parts of its process that a consumer of events uses. */
export interface EventConsumerOptions {
  readonly broker: Pick<Broker, 'prefix' | 'consuming' | 'publisher'>
  /** Of the producers of events. */
  readonly verifyKeys: AssertionKeys
  readonly log: Logger
  readonly metrics: Registry
}

/** The dependencies of a service that its consumers use. */
export interface EventConsumerDeps {
  readonly log: Logger
  readonly metrics: Metrics
}

/** The parts that `runService` gives to consumers. */
export interface EventConsumerParts extends Pick<EventConsumerOptions, 'broker'> {
  readonly config: { readonly EVENT_VERIFY_KEYS: AssertionKeys }
}

export function eventConsumerOptions(
  { log, metrics }: EventConsumerDeps,
  { broker, config }: EventConsumerParts,
): EventConsumerOptions {
  return { broker, verifyKeys: config.EVENT_VERIFY_KEYS, log, metrics: metrics.registry }
}

const quarantineAddress = (prefix: string, service: ConsumingService) => ({
  exchange: ownExchange(prefix, service),
  queue: named(prefix, quarantineQueues[service]),
})

/** The queue, its bindings, and the quarantine queue of its service. */
export function eventQueueTopology(prefix: string, { service, name, patterns }: EventQueue): Topology {
  const quarantine = quarantineAddress(prefix, service)
  const queue = named(prefix, name)
  return [
    ...reachedThrough(quarantine.exchange, [
      quorumQueue(quarantine.queue, { deliveryLimit: null }),
      quorumQueue(queue, { deliveryLimit, deadLetterTo: quarantine }),
    ]),
    ...patterns.map((pattern) => binding(queue, domainEvents(prefix), pattern)),
  ]
}

/** Starts to hand the events of a queue to `handle`, 20 at once at most; `stop` ends it. */
export function consumeEvents(
  queue: EventQueue,
  { broker: { prefix, consuming, publisher }, verifyKeys, log, metrics }: EventConsumerOptions,
  handle: (event: EventMessage) => Promise<void>,
): Consumer<EventMessage> {
  return consume({
    connection: consuming,
    publisher,
    queue: named(prefix, queue.name),
    quarantine: quarantineAddress(prefix, queue.service),
    topology: eventQueueTopology(prefix, queue),
    prefetch,
    stopTimeoutMs,
    read: eventReader(queue.service, verifyKeys, metrics),
    handle,
    log,
    metrics,
  })
}
