import { type EventConsumerSettings, eventTrustOf } from '@payments/chassis/assertion/event-keys'
import type { Log } from '@payments/chassis/observability/log'
import type { Metrics } from '@payments/chassis/process/metrics'
import { businessUnitPatterns } from '@payments/contracts/edges/event-patterns'
import type { EventMessage } from '@payments/contracts/grammar/event'
import {
  binding,
  domainEvents,
  named,
  ownExchange,
  quorumQueue,
  reachedThrough,
  type Topology,
} from '@payments/messaging/broker/topology'
import { type Consumer, consume } from '@payments/messaging/consume/consume'
import { type EventConsumerOptions, eventReader } from '@payments/messaging/consume/event-reader'
import type { BusinessUnitCopies } from './copies.ts'

const deliveryLimit = 20
const prefetch = 20
const stopTimeoutMs = 8_000

/** The queue of the events, without prefix. */
export const businessUnitQueue = (service: string): string => `${service}.business-units`

const queuesOf = (prefix: string, service: string) => ({
  queue: named(prefix, businessUnitQueue(service)),
  quarantine: { exchange: ownExchange(prefix, service), queue: named(prefix, `${service}.quarantine`) },
})

/** The queue of events for the copies of a service, its bindings, and the quarantine queue of the service. */
export function businessUnitTopology(prefix: string, service: string): Topology {
  const { queue, quarantine } = queuesOf(prefix, service)
  const exchange = domainEvents(prefix)
  return [
    ...reachedThrough(quarantine.exchange, [
      quorumQueue(quarantine.queue, { deliveryLimit: null }),
      quorumQueue(queue, { deliveryLimit, deadLetterTo: quarantine }),
    ]),
    ...businessUnitPatterns.map((pattern) => binding(queue, exchange, pattern)),
  ]
}

export interface BusinessUnitConsumerOptions extends EventConsumerOptions {
  readonly copies: Pick<BusinessUnitCopies, 'apply'>
  /** The service whose copies the events update. */
  readonly service: string
}

/** Starts to apply the events of business-unit to the copies; `stop` ends it. */
export function consumeBusinessUnits(options: BusinessUnitConsumerOptions): Consumer<EventMessage> {
  const { copies, service, broker, trust, log, metrics } = options
  return consume({
    connection: broker.consuming,
    publisher: broker.publisher,
    ...queuesOf(broker.prefix, service),
    topology: businessUnitTopology(broker.prefix, service),
    prefetch,
    stopTimeoutMs,
    read: eventReader(service, trust, metrics),
    handle: (event) => copies.apply(event),
    log,
    ...(metrics && { metrics }),
  })
}

interface ConsumerDeps {
  readonly businessUnits: Pick<BusinessUnitCopies, 'apply'>
  readonly log: Log
  readonly metrics: Metrics
}

interface ConsumerParts extends Pick<EventConsumerOptions, 'broker'> {
  readonly config: EventConsumerSettings
}

/** The consumer of a service, as `runService` takes it. */
export const businessUnitConsumers =
  (service: string) =>
  ({ businessUnits: copies, log, metrics }: ConsumerDeps, { broker, config }: ConsumerParts) => [
    consumeBusinessUnits({ copies, service, broker, trust: eventTrustOf(config), log, metrics: metrics.registry }),
  ]
