import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Consumer } from '@payments/messaging/consume/consume'
import type { EventConsumerParts } from '@payments/messaging/consume/consume-events'
import { businessUnitConsumers, businessUnitQueue } from '@payments/service/business-units/consumer'
import { consumeErasureRequests, erasureRequestQueue } from '@payments/service/payers/erasures'
import type { Deps } from './deps.ts'

const service = 'payment-proxy'

/** The consumed queues, whose messages may be quarantined. */
export const consumedQueues = [businessUnitQueue(service).name, erasureRequestQueue(service).name] as const

/** Events of business-unit → copies, and requests to erase payers → work of the service. */
export const startConsumers = (
  { units, ...deps }: Pick<Deps, 'units' | 'db' | 'log' | 'metrics'>,
  parts: EventConsumerParts,
): readonly Consumer<EventMessage>[] => [
  ...businessUnitConsumers(service)({ ...deps, businessUnits: units }, parts),
  // It creates nothing from late events.
  consumeErasureRequests(service, { ...deps, payerHashKeys: null }, parts),
]
