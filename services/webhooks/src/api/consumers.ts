import { consumeBusinessUnits } from '@payments/business-unit-copies/consumer'
import type { Consumer } from '@payments/messaging/consume/consume'
import type { EventConsumerOptions } from '@payments/messaging/consume/event-reader'
import type { Deps } from '../deps.ts'

/** Events → copies of business units. */
export const startApiConsumers = (
  { businessUnits: copies, log, metrics }: Pick<Deps, 'businessUnits' | 'log' | 'metrics'>,
  options: Pick<EventConsumerOptions, 'broker' | 'trust'>,
): Pick<Consumer<unknown>, 'ready' | 'stop'>[] => [
  consumeBusinessUnits({ copies, service: 'webhooks', ...options, log, metrics: metrics.registry }),
]
