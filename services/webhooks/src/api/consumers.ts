import { consumeBusinessUnits } from '@payments/business-unit-copies/consumer'
import type { Consumer } from '@payments/messaging/consume/consume'
import type { EventTrust } from '@payments/messaging/consume/event-reader'
import type { Broker } from '../broker/broker.ts'
import type { Deps } from './deps.ts'

/** Events → copies of business units. */
export const startApiConsumer = (
  { businessUnits: copies, log, metrics }: Pick<Deps, 'businessUnits' | 'log' | 'metrics'>,
  { consuming: connection, publisher }: Pick<Broker, 'consuming' | 'publisher'>,
  { prefix, trust }: { readonly prefix: string; readonly trust: EventTrust },
): Pick<Consumer<unknown>, 'ready' | 'stop'> =>
  consumeBusinessUnits({
    copies,
    connection,
    publisher,
    prefix,
    service: 'webhooks',
    trust,
    log,
    metrics: metrics.registry,
  })
