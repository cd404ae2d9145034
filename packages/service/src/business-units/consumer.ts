import { businessUnitPatterns } from '@payments/contracts/edges/event-patterns'
import type { ConsumingService } from '@payments/contracts/endpoints/quarantine'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Consumer } from '@payments/messaging/consume/consume'
import {
  consumeEvents,
  type EventConsumerDeps,
  type EventConsumerOptions,
  type EventConsumerParts,
  type EventQueue,
  eventConsumerOptions,
} from '@payments/messaging/consume/consume-events'
import type { BusinessUnitCopies } from './copies.ts'

/** The queue of the events for the copies of a service. */
export const businessUnitQueue = (service: ConsumingService): EventQueue => ({
  service,
  name: `${service}.business-units`,
  patterns: businessUnitPatterns,
})

export interface BusinessUnitConsumerOptions extends EventConsumerOptions {
  readonly copies: Pick<BusinessUnitCopies, 'apply'>
  /** The service whose copies the events update. */
  readonly service: ConsumingService
}

/** Starts to apply the events of business-unit to the copies; `stop` ends it. */
export function consumeBusinessUnits({
  copies,
  service,
  ...options
}: BusinessUnitConsumerOptions): Consumer<EventMessage> {
  return consumeEvents(businessUnitQueue(service), options, (event) => copies.apply(event))
}

/** The consumer of a service, as `runService` takes it. */
export const businessUnitConsumers =
  (service: ConsumingService) =>
  (
    { businessUnits: copies, ...deps }: EventConsumerDeps & { businessUnits: Pick<BusinessUnitCopies, 'apply'> },
    parts: EventConsumerParts,
  ) => [consumeBusinessUnits({ copies, service, ...eventConsumerOptions(deps, parts) })]
