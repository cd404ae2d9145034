import type { Publisher } from '@payments/messaging/publisher'
import {
  binding,
  delayQueue,
  domainEvents,
  named,
  quorumQueue,
  type Topology,
  topicExchange,
} from '@payments/messaging/topology'
import { z } from 'zod'
import { laneDelaysMs, type Schedule, writeDelay } from './domain/schedule.ts'
import type { WorkItem } from './domain/work-item.ts'

/**
 * The broker's side of deliveries: names, queues, and the message that sends a worker to a delivery.
 * A message says where to look; the row says what to do.
 */
export const deadLettersName = 'webhooks.dead-letters'
export const quarantineName = 'webhooks.quarantine'

export const queueNames = (prefix: string) => ({
  events: named(prefix, 'webhooks.events'),
  deliveries: named(prefix, 'webhooks.deliveries'),
  deadLetters: named(prefix, deadLettersName),
  quarantine: named(prefix, quarantineName),
  retry: (delayMs: number) => named(prefix, `webhooks.retry.${writeDelay(delayMs)}`),
})

/** A message that comes back this often was not handled by anybody: it goes to quarantine. */
const deliveryLimit = 20

/** What operators look at: the API declares these, the dispatcher too. */
export function operatorTopology(prefix: string): Topology {
  const names = queueNames(prefix)
  return [
    quorumQueue(names.quarantine, { deliveryLimit: null }),
    quorumQueue(names.deadLetters, { deliveryLimit: null }),
  ]
}

/** What the API relies on: where its events go, too. */
export function apiTopology(prefix: string): Topology {
  return [...operatorTopology(prefix), topicExchange(domainEvents(prefix))]
}

export function dispatcherTopology(prefix: string, schedule: Schedule): Topology {
  const names = queueNames(prefix)
  const exchange = domainEvents(prefix)
  return [
    ...apiTopology(prefix),
    quorumQueue(names.events, { deliveryLimit, deadLetterTo: names.quarantine }),
    binding(names.events, exchange, '#'),
    quorumQueue(names.deliveries, { deliveryLimit, deadLetterTo: names.quarantine }),
    ...laneDelaysMs(schedule).map((delayMs) => delayQueue(names.retry(delayMs), delayMs, names.deliveries)),
  ]
}

const workMessage = z.object({
  delivery_id: z.guid(),
  tenant_id: z.guid(),
  subscription_id: z.guid(),
  attempt_count: z.int().min(0),
})

/** Throws on anything else: the message goes to quarantine. */
export function readWorkMessage(body: Buffer): WorkItem {
  const message = workMessage.parse(JSON.parse(body.toString('utf8')))
  return {
    id: message.delivery_id,
    tenantId: message.tenant_id,
    subscriptionId: message.subscription_id,
    attemptCount: message.attempt_count,
  }
}

function writeWorkMessage(work: WorkItem): Buffer {
  return Buffer.from(
    JSON.stringify({
      delivery_id: work.id,
      tenant_id: work.tenantId,
      subscription_id: work.subscriptionId,
      attempt_count: work.attemptCount,
    }),
  )
}

export interface Queues {
  /** Whether a wait goes round the broker, being one of its delays; any other rests in the row until the sweeper takes it up. */
  carries(delayMs: number): boolean
  /** Sends a worker to the delivery after `delayMs`, which is one that `carries`. Rejects with PublishError. */
  enqueue(work: WorkItem, delayMs: number): Promise<void>
  /** Puts the message of a dead delivery before the operators. Rejects with PublishError. */
  bury(dead: DeadLetterMessage): Promise<void>
}

export interface DeadLetterMessage {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly eventType: string
}

export function createQueues(
  publisher: Publisher,
  deadLetters: Pick<Queues, 'bury'>,
  { prefix, schedule }: { prefix: string; schedule: Schedule },
): Queues {
  const names = queueNames(prefix)
  const lanes = new Set(laneDelaysMs(schedule))
  return {
    carries: (delayMs) => delayMs === 0 || lanes.has(delayMs),
    enqueue: (work, delayMs) =>
      publisher.publish({
        exchange: '',
        routingKey: delayMs === 0 ? names.deliveries : names.retry(delayMs),
        body: writeWorkMessage(work),
        messageId: `${work.id}/${work.attemptCount}`,
      }),
    bury: (dead) => deadLetters.bury(dead),
  }
}
