import type { Channel, Options } from 'amqplib'

/**
 * Exchanges, queues and bindings as data. Whoever publishes or consumes passes the part of the topology they rely on; it is
 * declared anew on every channel that is opened, so a wiped broker, a deleted queue or a lost binding heals by itself.
 *
 * Everything is durable. Queues are quorum queues. Every argument whose default differs between RabbitMQ 3.10 and 4.x is set:
 * 4.x gives quorum queues a delivery limit of 20 and drops what exceeds it, 3.10 has none.
 * A queue's arguments cannot be changed once it exists (the broker answers 406): give the queue another name.
 */
export type Declaration =
  | { readonly kind: 'exchange'; readonly name: string; readonly type: 'topic' }
  | { readonly kind: 'queue'; readonly name: string; readonly options: Options.AssertQueue }
  | { readonly kind: 'binding'; readonly queue: string; readonly exchange: string; readonly pattern: string }

export type Topology = readonly Declaration[]

/** 3.10 refuses -1, the word of 4.x for "no limit"; so large a number means the same to both. */
const deliveryLimitNone = 2_000_000_000

/** A full queue refuses (the publisher gets a nack and keeps the message); it never drops. */
const lengthMaxDefault = 2_000_000

const delayMsMax = 24 * 60 * 60 * 1000

/** The name of an exchange or queue in one environment: dev, qa, prod and tests can share a broker. */
export function named(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`
}

/** The exchange every service publishes its events to; the routing key is the event type. */
export function domainEvents(prefix: string): string {
  return named(prefix, 'domain-events')
}

/** What the relays of a service know this broker by (kept-events.ts). */
export function markerName(prefix: string, service: string): string {
  return named(prefix, `witness.${service}`)
}

/** Nobody consumes it. It holds the one message with which a relay has asked whether it is there. */
export function witnessTopology(name: string): Topology {
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
  /** How often a message may come back to the queue before it goes to `deadLetterTo`; null: as often as it likes. */
  readonly deliveryLimit: number | null
  /** The queue that gets what exceeds the limit. Without it the limit must be null: nothing is ever dropped. */
  readonly deadLetterTo?: string
  readonly lengthMax?: number
}

export function quorumQueue(name: string, options: QuorumQueueOptions): Declaration {
  const { deliveryLimit, deadLetterTo, lengthMax = lengthMaxDefault } = options
  if (deliveryLimit !== null && deadLetterTo === undefined) {
    throw new Error(`queue ${name}: a delivery limit without a queue to dead-letter to loses messages`)
  }
  return queue(name, {
    'x-delivery-limit': deliveryLimit ?? deliveryLimitNone,
    'x-max-length': lengthMax,
    ...(deadLetterTo === undefined ? {} : deadLetterArguments(deadLetterTo)),
  })
}

/**
 * A queue that nobody consumes: what is put in comes out into `target` after `delayMs`. One queue per delay, since messages
 * leave in order and a long wait at the head would hold up the short ones behind it.
 */
export function delayQueue(name: string, delayMs: number, target: string): Declaration {
  if (!Number.isInteger(delayMs) || delayMs < 0 || delayMs > delayMsMax) {
    throw new Error(`queue ${name}: a delay is an integer of 0 to ${delayMsMax} ms, not ${delayMs}`)
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

/** Declares in the order given: a queue before its binding. Harmless where it all exists. */
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

/** at-least-once needs reject-publish; the default, at-most-once, loses what is on its way when a broker dies. */
function deadLetterArguments(target: string): Record<string, string> {
  return {
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': target,
    'x-dead-letter-strategy': 'at-least-once',
  }
}
