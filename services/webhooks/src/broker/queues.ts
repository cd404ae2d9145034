import { eventPatterns } from '@payments/contracts/edges/event-patterns'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { id } from '@payments/contracts/grammar/field'
import type { Publisher } from '@payments/messaging/broker/publisher'
import {
  binding,
  delayQueue,
  domainEvents,
  named,
  ownExchange,
  quorumQueue,
  reachedThrough,
  type Topology,
  topicExchange,
} from '@payments/messaging/broker/topology'
import { z } from 'zod'
import type { WorkItem } from '../domain/delivery/delivery.ts'
import { bucketDelaysMs, type Schedule, writeDelay } from '../domain/delivery/schedule.ts'

/**
 * Names, queues and messages of deliveries. A message identifies a delivery; the row decides what to do.
 */
export const deadLettersName = 'webhooks.dead-letters'
export const quarantineName = quarantineQueues.webhooks

export const queueNames = (prefix: string) => ({
  events: named(prefix, 'webhooks.events'),
  /** Retries that are due. */
  deliveries: named(prefix, 'webhooks.deliveries'),
  deadLetters: named(prefix, deadLettersName),
  quarantine: named(prefix, quarantineName),
  retry: (delayMs: number) => named(prefix, `webhooks.delay.${writeDelay(delayMs)}`),
  /** Reaches each of these queues by its name. */
  exchange: ownExchange(prefix, 'webhooks'),
})

/** A message that is redelivered this often could not be processed: it goes to the quarantine. */
const deliveryLimit = 20

/** The queues that operators inspect. The API and the dispatcher declare them. */
export function operatorTopology(prefix: string): Topology {
  const names = queueNames(prefix)
  return reachedThrough(names.exchange, [
    quorumQueue(names.quarantine, { deliveryLimit: null }),
    quorumQueue(names.deadLetters, { deliveryLimit: null }),
  ])
}

/** Declared by the API: the queues of operators and the exchange of its events. */
export function apiTopology(prefix: string): Topology {
  return [...operatorTopology(prefix), topicExchange(domainEvents(prefix))]
}

export function dispatcherTopology(prefix: string, schedule: Schedule): Topology {
  const names = queueNames(prefix)
  const { exchange } = names
  const deadLetterTo = { exchange, queue: names.quarantine }
  const target = { exchange, queue: names.deliveries }
  return [
    ...apiTopology(prefix),
    ...reachedThrough(exchange, [
      quorumQueue(names.events, { deliveryLimit, deadLetterTo }),
      quorumQueue(names.deliveries, { deliveryLimit, deadLetterTo }),
      ...bucketDelaysMs(schedule).map((delayMs) => delayQueue(names.retry(delayMs), delayMs, target)),
    ]),
    ...eventPatterns.webhooks.map((pattern) => binding(names.events, domainEvents(prefix), pattern)),
  ]
}

/** Of a column with four bytes. */
const attemptCountMax = 2_147_483_647

export const workMessage = z.object({
  delivery_id: id,
  tenant_id: id,
  subscription_id: id,
  attempt_count: z.int().min(0).max(attemptCountMax),
})

/** Throws on any other content: the message goes to the quarantine. */
export function readWorkMessage(body: Buffer): WorkItem {
  const message = workMessage.parse(JSON.parse(body.toString('utf8')))
  return {
    id: message.delivery_id,
    tenantId: message.tenant_id,
    subscriptionId: message.subscription_id,
    attemptCount: message.attempt_count,
  }
}

function writeWorkMessage(item: WorkItem): Buffer {
  return Buffer.from(
    JSON.stringify({
      delivery_id: item.id,
      tenant_id: item.tenantId,
      subscription_id: item.subscriptionId,
      attempt_count: item.attemptCount,
    }),
  )
}

export interface Queues {
  /** Whether a retry queue has this delay. Any other wait stays in the row until the sweeper acts. */
  carries(delayMs: number): boolean
  /**
   * Publishes the message that brings the delivery to a dispatcher after `delayMs`, a delay that `carries`. Rejects
   * with PublishError.
   */
  publishWork(item: WorkItem, delayMs: number): Promise<void>
}

export function createQueues(
  publisher: Publisher,
  { prefix, schedule }: { prefix: string; schedule: Schedule },
): Queues {
  const names = queueNames(prefix)
  const delaysMs = new Set(bucketDelaysMs(schedule))
  return {
    carries: (delayMs) => delayMs === 0 || delaysMs.has(delayMs),
    publishWork: (item, delayMs) =>
      publisher.publish({
        exchange: names.exchange,
        routingKey: delayMs === 0 ? names.deliveries : names.retry(delayMs),
        body: writeWorkMessage(item),
        messageId: `${item.id}/${item.attemptCount}`,
      }),
  }
}
