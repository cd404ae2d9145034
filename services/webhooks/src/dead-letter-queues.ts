import type { BrokerConnection } from '@payments/messaging/connection'
import { within } from '@payments/messaging/deadline'
import type { Publisher } from '@payments/messaging/publisher'
import { declareTopology } from '@payments/messaging/topology'
import type { Channel, ConsumeMessage, Replies } from 'amqplib'
import { type DeadLetterMessage, deadLettersName, operatorTopology, quarantineName, queueNames } from './queues.ts'

export const deadLetterQueueNames = [deadLettersName, quarantineName] as const
export type DeadLetterQueueName = (typeof deadLetterQueueNames)[number]

export function isDeadLetterQueueName(name: string): name is DeadLetterQueueName {
  return (deadLetterQueueNames as readonly string[]).includes(name)
}

export interface WalkedMessage {
  readonly messageId: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

/** Which of the messages are to go. `whole`: they are all there is. */
export type Decide = (messages: readonly WalkedMessage[], whole: boolean) => Promise<readonly WalkedMessage[]>

export interface DeadLetterQueuesOptions {
  /** One that consumes. */
  readonly connection: BrokerConnection
  readonly publisher: Publisher
  readonly prefix: string
  /** That one walk looks at. */
  readonly messagesMax?: number
}

const stepTimeoutMs = 5_000
const turnWaitMs = 50
const settleTimeoutMs = 30_000
const settlePollMs = 5
/** A walk that gets no message for so long has got all it will get. */
const quietMs = 500
const turnsMax = 200

/**
 * The two queues that operators look into. Nobody consumes them; whoever wants to know what they hold walks them: takes all
 * messages unacknowledged, decides, acknowledges what is to go and gives the rest back.
 *
 * A walk is the queue's only consumer (exclusive): two at once would each see a part and take it for the whole. While it
 * lasts, what it holds is missing from the depth, so `depth` waits for its end.
 * Guarantees: a message leaves only after `decide` has resolved; a crash in the middle gives all of them back.
 * Not promised: that a walk sees what is published while it goes on.
 */
export class DeadLetterQueues {
  readonly #options: DeadLetterQueuesOptions
  readonly #messagesMax: number

  constructor(options: DeadLetterQueuesOptions) {
    this.#options = options
    this.#messagesMax = options.messagesMax ?? 100_000
  }

  depth(name: DeadLetterQueueName): Promise<number> {
    return this.#inTurn(name, async (_channel, { messageCount }) => messageCount)
  }

  /** Deliveries that wait for a worker. */
  backlog(): Promise<number> {
    const { deliveries } = queueNames(this.#options.prefix)
    return this.#onChannel(async (channel) => {
      const { messageCount } = await within(stepTimeoutMs, `inspecting ${deliveries}`, channel.checkQueue(deliveries))
      return messageCount
    })
  }

  async walk(name: DeadLetterQueueName, decide: Decide): Promise<void> {
    await this.#inTurn(name, async (channel, { queue, messageCount }) => {
      const taken = await takeAll(channel, queue, Math.min(messageCount, this.#messagesMax))
      if (taken === occupied) return occupied
      await settle({ channel, queue, taken, whole: messageCount <= this.#messagesMax }, decide)
      return undefined
    })
  }

  /** Puts the message of a dead delivery before the operators. Rejects with PublishError. */
  bury(dead: DeadLetterMessage): Promise<void> {
    const { id, tenantId, subscriptionId, eventType } = dead
    const body = { delivery_id: id, tenant_id: tenantId, subscription_id: subscriptionId, event_type: eventType }
    return this.#publish(queueNames(this.#options.prefix).deadLetters, Buffer.from(JSON.stringify(body)), id)
  }

  /** Puts a quarantined message back where it came from. Rejects with PublishError. */
  sendBack(message: WalkedMessage): Promise<void> {
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

  /** Works on a queue that nobody walks. */
  async #inTurn<R>(
    name: DeadLetterQueueName,
    work: (channel: Channel, queue: Replies.AssertQueue) => Promise<R | typeof occupied>,
  ): Promise<R> {
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const result = await this.#onChannel(async (channel) => {
        const queue = await this.#inspect(channel, name)
        return queue.consumerCount > 0 ? occupied : work(channel, queue)
      })
      if (result !== occupied) return result as R
      await new Promise((resolve) => setTimeout(resolve, turnWaitMs))
    }
    throw new Error(`${name} is being walked for longer than ${turnsMax * turnWaitMs} ms`)
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
    // What closes it also rejects what is under way; without a listener the error would end the process.
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

const occupied = Symbol('another walk is under way')
const tag = 'walk'

/**
 * Takes the `expected` messages. Fewer come when the walk before had not ended yet at the inspection: then another turn is
 * taken, and closing the channel gives back what came.
 */
async function takeAll(channel: Channel, queue: string, expected: number): Promise<ConsumeMessage[] | typeof occupied> {
  const taken: ConsumeMessage[] = []
  if (expected === 0) return taken
  await channel.prefetch(expected)
  let quiet: NodeJS.Timeout | undefined
  const ended = new Promise<void>((resolve, reject) => {
    channel.once('close', () => reject(new Error(`the channel closed while ${queue} was walked`)))
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

interface Walk {
  readonly channel: Channel
  readonly queue: string
  readonly taken: readonly ConsumeMessage[]
  /** They are all there is. */
  readonly whole: boolean
}

async function settle({ channel, queue, taken, whole }: Walk, decide: Decide): Promise<void> {
  const walked = taken.map(show)
  const gone = new Set(await decide(walked, whole))
  if (taken.length === 0) return
  // Cancelled first, or what is given back would come again; not waited for, so that the queue is away as short as can be.
  const cancelled = channel.cancel(tag)
  for (const [index, message] of taken.entries()) {
    const shown = walked[index]
    if (shown !== undefined && gone.has(shown)) channel.ack(message)
    else channel.nack(message, false, true)
  }
  await within(stepTimeoutMs, 'ending the walk', cancelled)
  await settled(channel, queue)
}

/**
 * The broker takes in a few acknowledgements at a time and forgets the others when the channel closes. A consumer that was
 * cancelled counts for as long as it holds messages, so when there is none, all are settled.
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

function show(message: ConsumeMessage): WalkedMessage {
  const { messageId, headers } = message.properties
  return { messageId: String(messageId ?? ''), body: message.content, headers: headers ?? {} }
}

/** Who quarantined a message says so in a header; the broker itself says it in its own. */
function originOf({ headers }: WalkedMessage): string | undefined {
  const origin = headers['x-quarantine-queue'] ?? headers['x-first-death-queue']
  return typeof origin === 'string' ? origin : undefined
}
