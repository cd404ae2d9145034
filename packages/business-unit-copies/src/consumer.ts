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
import { type ConsumeOptions, type Consumer, consume } from '@payments/messaging/consume/consume'
import { type EventTrust, eventReader } from '@payments/messaging/consume/event-reader'
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

export interface BusinessUnitConsumerOptions
  extends Pick<ConsumeOptions<EventMessage>, 'connection' | 'publisher' | 'log' | 'metrics'> {
  readonly copies: Pick<BusinessUnitCopies, 'apply'>
  readonly prefix: string
  /** The service whose copies the events update. */
  readonly service: string
  readonly trust: EventTrust
}

/** Starts to apply the events of business-unit to the copies; `stop` ends it. */
export function consumeBusinessUnits(options: BusinessUnitConsumerOptions): Consumer<EventMessage> {
  const { copies, prefix, service, trust, ...shared } = options
  return consume({
    ...shared,
    ...queuesOf(prefix, service),
    topology: businessUnitTopology(prefix, service),
    prefetch,
    stopTimeoutMs,
    read: eventReader(service, trust, shared.metrics),
    handle: (event) => copies.apply(event),
  })
}
