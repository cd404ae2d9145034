import type { EventMessage } from '@payments/contracts/event'
import type { BrokerConnection } from '@payments/messaging/connection'
import { type Consumer, consume } from '@payments/messaging/consume'
import { readEventMessage } from '@payments/messaging/event-message'
import type { Publisher } from '@payments/messaging/publisher'
import type { Registry } from 'prom-client'
import type { FinderDeps } from './deps.ts'
import type { WorkItem } from './domain/work-item.ts'
import { microBatch } from './micro-batch.ts'
import { dispatcherTopology, queueNames, readWorkMessage } from './queues.ts'
import { fanOut } from './verbs/fan-out.ts'

export interface ConsumerOptions {
  readonly connection: BrokerConnection
  readonly publisher: Publisher
  readonly prefix: string
  readonly metrics: Registry
}

const eventsPrefetch = 200
const deliveriesPrefetch = 400
/** Within the 10 s a process has to drain; attempts are given up before that. */
export const stopTimeoutMs = 8_000

/** Events → verbs. `work`: on a delivery whose time has come. */
export function startConsumers(
  deps: FinderDeps,
  work: (item: WorkItem) => Promise<void>,
  options: ConsumerOptions,
): Pick<Consumer<unknown>, 'ready' | 'stop'>[] {
  const names = queueNames(options.prefix)
  const fanOutTogether = microBatch((events: readonly EventMessage[]) => fanOut(deps, events), { itemsMax: 50 })
  const shared = {
    ...options,
    topology: dispatcherTopology(options.prefix, deps.schedule),
    quarantine: names.quarantine,
    log: deps.log,
    stopTimeoutMs,
  }
  return [
    consume({
      ...shared,
      queue: names.events,
      prefetch: eventsPrefetch,
      read: readEventMessage,
      handle: fanOutTogether,
    }),
    consume({
      ...shared,
      queue: names.deliveries,
      prefetch: deliveriesPrefetch,
      read: readWorkMessage,
      handle: work,
    }),
  ]
}
