import { within } from '@payments/chassis/deadline'
import type { BrokerConnection } from '@payments/messaging/connection'
import type { Publisher } from '@payments/messaging/publisher'
import { declareTopology } from '@payments/messaging/topology'
import type { Channel, ConsumeMessage, Replies } from 'amqplib'
import { type DeadLetterMessage, deadLettersName, operatorTopology, quarantineName, queueNames } from './queues.ts'

export const deadLetterQueueNames = [deadLettersName, quarantineName] as const
export type DeadLetterQueueName = (typeof deadLetterQueueNames)[number]

export function isDeadLetterQueueName(name: string): name is DeadLetterQueueName {
  return (deadLetterQueueNames as readonly string[]).includes(name)
}

export interface BrowsedMessage {
  readonly messageId: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

/** Returns the messages to remove. `whole`: the messages are the whole queue. */
export type Decide = (messages: readonly BrowsedMessage[], whole: boolean) => Promise<readonly BrowsedMessage[]>

export interface DeadLetterQueuesOptions {
  /** A consuming connection. */
  readonly connection: BrokerConnection
  readonly publisher: Publisher
  readonly prefix: string
  /** Messages of one browse. */
  readonly messagesMax?: number
}

const stepTimeoutMs = 5_000
const retryWaitMs = 50
const settleTimeoutMs = 30_000
const settlePollMs = 5
/** A browse ends after this time without a message. */
const quietMs = 500
const triesMax = 200

/**
 * What it does: reads the two queues that operators inspect. No process consumes them. A browse takes all messages
 * unacknowledged, calls `decide`, acknowledges the messages to remove and requeues the others.
 *
 * Guarantees: a message is removed only after `decide` has resolved; a crash requeues all of them. A browse is the only
 * consumer of its queue (exclusive): two would each see a part and take it for the whole. During a browse its messages
 * are missing from the depth, so `depth` waits for its end.
 *
 * Not guaranteed: that a browse sees messages published during it.
 */
export class DeadLetterQueues {
  readonly #options: DeadLetterQueuesOptions
  readonly #messagesMax: number

  constructor(options: DeadLetterQueuesOptions) {
    this.#options = options
    this.#messagesMax = options.messagesMax ?? 100_000
  }

  depth(name: DeadLetterQueueName): Promise<number> {
    return this.#exclusively(name, async (_channel, { messageCount }) => messageCount)
  }

  /** The depth of webhooks.deliveries: due deliveries that wait for a worker. */
  deliveriesDepth(): Promise<number> {
    const { deliveries } = queueNames(this.#options.prefix)
    return this.#onChannel(async (channel) => {
      const { messageCount } = await within(stepTimeoutMs, `inspecting ${deliveries}`, channel.checkQueue(deliveries))
      return messageCount
    })
  }

  async browse(name: DeadLetterQueueName, decide: Decide): Promise<void> {
    await this.#exclusively(name, async (channel, { queue, messageCount }) => {
      const taken = await takeAll(channel, queue, Math.min(messageCount, this.#messagesMax))
      if (taken === occupied) return occupied
      await settle({ channel, queue, taken, whole: messageCount <= this.#messagesMax }, decide)
      return undefined
    })
  }

  /** Publishes the message of a dead delivery. Rejects with PublishError. */
  publishDeadLetter(dead: DeadLetterMessage): Promise<void> {
    const { id, tenantId, subscriptionId, eventType } = dead
    const body = { delivery_id: id, tenant_id: tenantId, subscription_id: subscriptionId, event_type: eventType }
    return this.#publish(queueNames(this.#options.prefix).deadLetters, Buffer.from(JSON.stringify(body)), id)
  }

  /** Requeues a quarantined message to the queue that it came from. Rejects with PublishError. */
  requeue(message: BrowsedMessage): Promise<void> {
    const origin = originOf(message) ?? queueNames(this.#options.prefix).events
    return this.#publish(origin, message.body, message.messageId)
  }

  /** null, or why the broker cannot be used. */
  async check(): Promise<string | null> {
    for (const state of [this.#options.publisher.ready(), this.#options.connection.ready()]) {
      if (!state.ready) return state.reason
    }
    return null
  }

  #publish(routingKey: string, body: Buffer, messageId: string): Promise<void> {
    return this.#options.publisher.publish({ exchange: '', routingKey, body, messageId })
  }

  /** Works on a queue while no browse is in progress. */
  async #exclusively<R>(
    name: DeadLetterQueueName,
    work: (channel: Channel, queue: Replies.AssertQueue) => Promise<R | typeof occupied>,
  ): Promise<R> {
    for (let attempt = 0; attempt < triesMax; attempt += 1) {
      const result = await this.#onChannel(async (channel) => {
        const queue = await this.#inspect(channel, name)
        return queue.consumerCount > 0 ? occupied : work(channel, queue)
      })
      if (result !== occupied) return result as R
      await new Promise((resolve) => setTimeout(resolve, retryWaitMs))
    }
    throw new Error(`a browse of ${name} takes longer than ${triesMax * retryWaitMs} ms`)
  }

  async #inspect(channel: Channel, name: DeadLetterQueueName): Promise<Replies.AssertQueue> {
    const { prefix } = this.#options
    const queue = name === deadLettersName ? queueNames(prefix).deadLetters : queueNames(prefix).quarantine
    await within(stepTimeoutMs, `declaring ${queue}`, declareTopology(channel, operatorTopology(prefix)))
    return within(stepTimeoutMs, `inspecting ${queue}`, channel.checkQueue(queue))
  }

  async #onChannel<R>(work: (channel: Channel) => Promise<R>): Promise<R> {
    const channel = await this.#options.connection.openChannel()
    let closed = false
    // Closing the channel also rejects the calls in progress. Without a listener, the error would end the process.
    channel.on('error', () => {})
    channel.once('close', () => {
      closed = true
    })
    try {
      return await work(channel)
    } finally {
      if (!closed) await within(stepTimeoutMs, 'closing a channel', channel.close())
    }
  }
}

const occupied = Symbol('another browse is in progress')
const tag = 'browse'

/**
 * Takes the `expected` messages. Fewer arrive when the previous browse had not ended at the inspection: then the browse
 * is repeated, and closing the channel requeues the messages.
 */
async function takeAll(channel: Channel, queue: string, expected: number): Promise<ConsumeMessage[] | typeof occupied> {
  const taken: ConsumeMessage[] = []
  if (expected === 0) return taken
  await channel.prefetch(expected)
  let quiet: NodeJS.Timeout | undefined
  const ended = new Promise<void>((resolve, reject) => {
    channel.once('close', () => reject(new Error(`the channel closed during a browse of ${queue}`)))
    quiet = setTimeout(resolve, quietMs)
    const onMessage = (message: ConsumeMessage | null) => {
      if (message !== null) taken.push(message)
      if (message === null || taken.length >= expected) resolve()
      else quiet?.refresh()
    }
    const consuming = channel.consume(queue, onMessage, { consumerTag: tag, exclusive: true, noAck: false })
    consuming.catch(reject)
  })
  try {
    await ended
    return taken.length < expected ? occupied : taken
  } catch (error) {
    if (/ACCESS_REFUSED|RESOURCE_LOCKED/.test(String(error))) return occupied
    throw error
  } finally {
    clearTimeout(quiet)
  }
}

interface Browse {
  readonly channel: Channel
  readonly queue: string
  readonly taken: readonly ConsumeMessage[]
  /** Whether `taken` is the whole queue. */
  readonly whole: boolean
}

async function settle({ channel, queue, taken, whole }: Browse, decide: Decide): Promise<void> {
  const browsed = taken.map(show)
  const removed = new Set(await decide(browsed, whole))
  if (taken.length === 0) return
  // The consumer is cancelled first, otherwise requeued messages would arrive again. The reply is awaited at the end.
  const cancelled = channel.cancel(tag)
  for (const [index, message] of taken.entries()) {
    const shown = browsed[index]
    if (shown !== undefined && removed.has(shown)) channel.ack(message)
    else channel.nack(message, false, true)
  }
  await within(stepTimeoutMs, 'ending the browse', cancelled)
  await settled(channel, queue)
}

/**
 * The broker processes a few acknowledgements at a time and drops the others when the channel closes. A cancelled
 * consumer is counted while it holds messages. So no consumer means that all messages are settled.
 */
async function settled(channel: Channel, queue: string): Promise<void> {
  const deadline = Date.now() + settleTimeoutMs
  for (;;) {
    const { consumerCount } = await within(stepTimeoutMs, `inspecting ${queue}`, channel.checkQueue(queue))
    if (consumerCount === 0) return
    if (Date.now() > deadline) throw new Error(`${queue} was not settled within ${settleTimeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, settlePollMs))
  }
}

function show(message: ConsumeMessage): BrowsedMessage {
  const { messageId, headers } = message.properties
  return { messageId: String(messageId ?? ''), body: message.content, headers: headers ?? {} }
}

/** The queue that a quarantined message came from: in our header, or in that of the broker. */
function originOf({ headers }: BrowsedMessage): string | undefined {
  const origin = headers['x-quarantine-queue'] ?? headers['x-first-death-queue']
  return typeof origin === 'string' ? origin : undefined
}
