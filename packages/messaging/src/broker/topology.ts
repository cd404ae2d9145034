import { domainEventsName, markerName, ownExchangeName, prefixName } from '@payments/contracts/edges/broker-names'
import type { Channel, Options } from 'amqplib'

/**
 * Exchanges, queues and bindings as data. A publisher or consumer passes the part of the topology that it needs. Every
 * new channel declares that part.
 *
 * Everything is durable; queues are quorum queues. Every argument whose default differs between RabbitMQ 3.10 and 4.x
 * is set: 4.x gives quorum queues a delivery limit of 20 and drops messages beyond it, 3.10 has none. The arguments of
 * an existing queue cannot be changed (the broker responds 406): give the queue another name.
 *
 * The default exchange reaches every queue of a vhost, and no permission restricts its routing keys. Therefore a
 * service publishes and dead-letters to its own queues through its own exchange.
 */
export type Declaration =
  | { readonly kind: 'exchange'; readonly name: string; readonly type: 'topic' | 'direct' }
  | QueueDeclaration
  | { readonly kind: 'binding'; readonly queue: string; readonly exchange: string; readonly pattern: string }

export interface QueueDeclaration {
  readonly kind: 'queue'
  readonly name: string
  readonly options: Options.AssertQueue
}

export type Topology = readonly Declaration[]

/** No limit. 4.x writes it as -1, which 3.10 rejects; both accept this number. */
const deliveryLimitNone = 2_000_000_000

/** A full queue rejects a message with a nack, so the publisher retains it; the queue never drops one. */
const lengthMaxDefault = 2_000_000

const delayMsMax = 24 * 60 * 60 * 1000

export const named = prefixName

/** The exchange of all domain events. */
export function domainEvents(prefix: string): string {
  return named(prefix, domainEventsName)
}

/** The direct exchange of a service, to which its own queues are bound by their names. */
export function ownExchange(prefix: string, service: string): string {
  return named(prefix, ownExchangeName(service))
}

/** The marker queue of the relays of a service (retained-events.ts). */
export function markerQueueName(prefix: string, service: string): string {
  return named(prefix, markerName(service))
}

/** The marker queue with its exchange. No consumer reads the queue; it holds one message of a check. */
export function markerTopology(name: string): Topology {
  return [
    quorumQueue(name, { deliveryLimit: null, lengthMax: 1 }),
    topicExchange(name),
    { kind: 'binding', queue: name, exchange: name, pattern: '#' },
  ]
}

export function topicExchange(name: string): Declaration {
  return { kind: 'exchange', name, type: 'topic' }
}

/** A queue, reached through the exchange to which it is bound by its name. */
export interface QueueAddress {
  readonly exchange: string
  readonly queue: string
}

export interface QuorumQueueOptions {
  /** How often a message may be redelivered before it is moved to `deadLetterTo`; null is without limit. */
  readonly deliveryLimit: number | null
  /** The queue for messages beyond the limit. Without it, the limit must be null, so that no message is dropped. */
  readonly deadLetterTo?: QueueAddress
  readonly lengthMax?: number
  /** The broker delivers to one consumer at a time, and to another one when that consumer ends. */
  readonly singleActiveConsumer?: boolean
}

export function quorumQueue(name: string, options: QuorumQueueOptions): QueueDeclaration {
  const { deliveryLimit, deadLetterTo, lengthMax = lengthMaxDefault, singleActiveConsumer = false } = options
  if (deliveryLimit !== null && deadLetterTo === undefined) {
    throw new Error(`queue ${name}: a delivery limit without a dead-letter queue loses messages`)
  }
  return queue(name, {
    'x-delivery-limit': deliveryLimit ?? deliveryLimitNone,
    'x-max-length': lengthMax,
    ...(singleActiveConsumer ? { 'x-single-active-consumer': true } : {}),
    ...(deadLetterTo === undefined ? {} : deadLetterArguments(deadLetterTo)),
  })
}

/**
 * A queue without consumers. Each message is moved to `target` after `delayMs`. One queue per delay: messages leave in
 * order, so a long delay at the head would delay the shorter ones behind it.
 */
export function delayQueue(name: string, delayMs: number, target: QueueAddress): QueueDeclaration {
  if (!Number.isInteger(delayMs) || delayMs < 0 || delayMs > delayMsMax) {
    throw new Error(`queue ${name}: the delay must be an integer of 0 to ${delayMsMax} ms, not ${delayMs}`)
  }
  return queue(name, {
    'x-delivery-limit': deliveryLimitNone,
    'x-max-length': lengthMaxDefault,
    'x-message-ttl': delayMs,
    ...deadLetterArguments(target),
  })
}

export function binding(queueName: string, exchange: string, pattern: string): Declaration {
  return { kind: 'binding', queue: queueName, exchange, pattern }
}

/** The exchange of a service, its queues, and their bindings by name. */
export function reachedThrough(exchange: string, queues: readonly QueueDeclaration[]): Topology {
  return [
    { kind: 'exchange', name: exchange, type: 'direct' },
    ...queues,
    ...queues.map(({ name }) => binding(name, exchange, name)),
  ]
}

/** Declares in the given order, so a queue must precede its binding. Has no effect on what exists. */
export async function declareTopology(channel: Channel, topology: Topology): Promise<void> {
  for (const declaration of topology) await declare(channel, declaration)
}

async function declare(channel: Channel, declaration: Declaration): Promise<void> {
  switch (declaration.kind) {
    case 'exchange':
      await channel.assertExchange(declaration.name, declaration.type, { durable: true })
      return
    case 'queue':
      await channel.assertQueue(declaration.name, declaration.options)
      return
    case 'binding':
      await channel.bindQueue(declaration.queue, declaration.exchange, declaration.pattern)
      return
  }
}

function queue(name: string, queueArguments: Record<string, string | number | boolean>): QueueDeclaration {
  const common = { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish' }
  return { kind: 'queue', name, options: { durable: true, arguments: { ...common, ...queueArguments } } }
}

/** at-least-once requires reject-publish. The default, at-most-once, loses messages in transfer when a broker stops. */
function deadLetterArguments({ exchange, queue: target }: QueueAddress): Record<string, string> {
  return {
    'x-dead-letter-exchange': exchange,
    'x-dead-letter-routing-key': target,
    'x-dead-letter-strategy': 'at-least-once',
  }
}
