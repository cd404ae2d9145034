import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import { Batch } from '@payments/chassis/base/batch'
import { activeTraceparent, tracing } from '@payments/chassis/observability/trace'
import type { Broker } from '@payments/messaging/broker/broker'
import { type Consumer, consume } from '@payments/messaging/consume/consume'
import { eventReader } from '@payments/messaging/consume/event-reader'
import { isOutage } from '@payments/messaging/consume/outage'
import type { Registry } from 'prom-client'
import { dispatcherTopology, queueNames, readWorkMessage } from '../broker/queues.ts'
import type { WorkItem } from '../domain/delivery/delivery.ts'
import { isInternal } from '../domain/event/event-type.ts'
import { type FanOutDeps, fanOut, type TracedEvent } from './fan-out.ts'

export interface ConsumerOptions {
  readonly broker: Pick<Broker, 'prefix' | 'consuming' | 'publisher'>
  /** Of the producers of events. */
  readonly verifyKeys: AssertionKeys
  readonly metrics: Registry
}

const eventsPrefetch = 200
const deliveriesPrefetch = 400
/** The payloads of one batch are encoded together, while the event loop waits. */
const batchBytesMax = 256 * 1024
/** Within the 10 s that a process has to drain. Attempts are aborted before. */
export const stopTimeoutMs = 8_000

interface FanOutItem {
  readonly event: TracedEvent
  /** Of its message. */
  readonly bytes: number
}

/**
 * **What it does.** Consumes the two queues of the dispatcher: events go to fan-out, up to 50 and 256 KiB in one call,
 * and messages of due deliveries to `attemptDue`. Events between services are ignored.
 *
 * **Guarantees.** A message is acknowledged after the commit of its work, so a crash repeats work and loses none. The
 * prefetch bounds the messages in progress. A message that cannot be read goes to the quarantine, with its reason.
 *
 * **Not guaranteed.** Order, and that a message has something to do: the row decides.
 */
export function startConsumers(
  deps: FanOutDeps,
  attemptDue: (item: WorkItem) => Promise<void>,
  { broker: { prefix, consuming: connection, publisher }, verifyKeys, metrics }: ConsumerOptions,
): Pick<Consumer<unknown>, 'ready' | 'stop'>[] {
  const names = queueNames(prefix)
  const fanOuts = new Batch(
    (items: readonly FanOutItem[]) =>
      fanOut(
        deps,
        items.map(({ event }) => event),
      ),
    {
      itemsMax: 50,
      size: { of: ({ bytes }) => bytes, max: batchBytesMax },
      failsAll: isOutage,
    },
  )
  const shared = {
    connection,
    publisher,
    metrics,
    topology: dispatcherTopology(prefix, deps.schedule),
    // The publisher does (start.ts): with a queue for each delay, some 70 round trips.
    redeclareMs: null,
    quarantine: { exchange: names.exchange, queue: names.quarantine },
    log: deps.log,
    stopTimeoutMs,
  }
  return [
    consume({
      ...shared,
      queue: names.events,
      prefetch: eventsPrefetch,
      read: eventReader('webhooks', verifyKeys, metrics),
      handle: (event, { body: { length: bytes } }) => {
        if (isInternal(event.type)) return Promise.resolve()
        // The batch runs outside of the span of each message.
        const traced = tracing === undefined ? event : { ...event, traceparent: activeTraceparent() }
        return fanOuts.add({ event: traced, bytes })
      },
    }),
    consume({
      ...shared,
      queue: names.deliveries,
      prefetch: deliveriesPrefetch,
      read: readWorkMessage,
      handle: attemptDue,
    }),
  ]
}
