import type { EventMessage } from '@payments/contracts/event'
import type { BrokerConnection } from '@payments/messaging/connection'
import { type Consumer, consume } from '@payments/messaging/consume'
import { readEventMessage } from '@payments/messaging/event-message'
import type { Publisher } from '@payments/messaging/publisher'
import type { Registry } from 'prom-client'
import { microBatch } from '../batch/micro-batch.ts'
import { dispatcherTopology, queueNames, readWorkMessage } from '../broker/queues.ts'
import type { WorkItem } from '../domain/work-item.ts'
import type { WorkerDeps } from './deps.ts'
import { fanOut } from './fan-out.ts'

export interface ConsumerOptions {
  readonly connection: BrokerConnection
  readonly publisher: Publisher
  readonly prefix: string
  readonly metrics: Registry
}

const eventsPrefetch = 200
const deliveriesPrefetch = 400
/** Within the 10 s that a process has to drain. Attempts are aborted before. */
export const stopTimeoutMs = 8_000

/** Events → fan-out, messages of retry queues → `work` on the due delivery. */
export function startConsumers(
  deps: WorkerDeps,
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
