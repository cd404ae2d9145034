import type { Channel, Options } from 'amqplib'

/**
 * Exchanges, queues and bindings as data. A publisher or consumer passes the part of the topology that it needs. Every
 * new channel declares that part, which restores it after a wiped broker, a deleted queue or a lost binding.
 *
 * Everything is durable; queues are quorum queues. Every argument whose default differs between RabbitMQ 3.10 and 4.x
 * is set: 4.x gives quorum queues a delivery limit of 20 and drops messages beyond it, 3.10 has none. The arguments
 * of an existing queue cannot be changed (the broker responds 406): give the queue another name.
 */
export type Declaration =
  | { readonly kind: 'exchange'; readonly name: string; readonly type: 'topic' }
  | { readonly kind: 'queue'; readonly name: string; readonly options: Options.AssertQueue }
  | { readonly kind: 'binding'; readonly queue: string; readonly exchange: string; readonly pattern: string }

export type Topology = readonly Declaration[]

/** No limit. 4.x writes it as -1, which 3.10 rejects; both accept this number. */
const deliveryLimitNone = 2_000_000_000

/** A full queue rejects a message with a nack, so the publisher retains it; the queue never drops one. */
const lengthMaxDefault = 2_000_000

const delayMsMax = 24 * 60 * 60 * 1000

/** The name of an exchange or queue in one environment: dev, qa, prod and tests can share a broker. */
export function named(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`
}

/** The exchange of all domain events; the routing key is the event type. */
export function domainEvents(prefix: string): string {
  return named(prefix, 'domain-events')
}

/** The marker queue of the relays of a service (retained-events.ts). */
export function markerQueueName(prefix: string, service: string): string {
  return named(prefix, `marker.${service}`)
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

export interface QuorumQueueOptions {
  /** How often a message may be redelivered before it is moved to `deadLetterTo`; null is without limit. */
  readonly deliveryLimit: number | null
  /** The queue for messages beyond the limit. Without it, the limit must be null, so that no message is dropped. */
  readonly deadLetterTo?: string
  readonly lengthMax?: number
}

export function quorumQueue(name: string, options: QuorumQueueOptions): Declaration {
  const { deliveryLimit, deadLetterTo, lengthMax = lengthMaxDefault } = options
  if (deliveryLimit !== null && deadLetterTo === undefined) {
    throw new Error(`queue ${name}: a delivery limit without a dead-letter queue loses messages`)
  }
  return queue(name, {
    'x-delivery-limit': deliveryLimit ?? deliveryLimitNone,
    'x-max-length': lengthMax,
    ...(deadLetterTo === undefined ? {} : deadLetterArguments(deadLetterTo)),
  })
}

/**
 * A queue without consumers. Each message is moved to `target` after `delayMs`. One queue per delay: messages leave in
 * order, so a long delay at the head would delay the shorter ones behind it.
 */
export function delayQueue(name: string, delayMs: number, target: string): Declaration {
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

function queue(name: string, queueArguments: Record<string, string | number>): Declaration {
  const common = { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish' }
  return { kind: 'queue', name, options: { durable: true, arguments: { ...common, ...queueArguments } } }
}

/** at-least-once requires reject-publish. The default, at-most-once, loses messages in transfer when a broker stops. */
function deadLetterArguments(target: string): Record<string, string> {
  return {
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': target,
    'x-dead-letter-strategy': 'at-least-once',
  }
}
