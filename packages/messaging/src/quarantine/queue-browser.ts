import { within } from '@payments/chassis/base/deadline'
import type { Channel, ConsumeMessage, Replies } from 'amqplib'
import { callTimeoutMs, withChannel } from '../broker/channel.ts'
import type { BrokerConnection } from '../broker/connection.ts'
import { declareTopology, type Topology } from '../broker/topology.ts'

export interface BrowsedMessage {
  readonly messageId: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

/** Returns the messages to remove. `whole`: the messages are the whole queue. */
export type Decide = (messages: readonly BrowsedMessage[], whole: boolean) => Promise<readonly BrowsedMessage[]>

export interface QueueBrowserOptions {
  /** A consuming connection. */
  readonly connection: BrokerConnection
  /** Declared before each access: the queues. */
  readonly topology: Topology
  /** Messages of one browse, all of them in memory: 1 to 65 535. */
  readonly messagesMax: number
}

const retryWaitMs = 50
const settleTimeoutMs = 30_000
const settlePollMs = 5
/** A browse ends after this time without a message. */
const quietMs = 500
const triesMax = 200
/** The browse takes its messages unacknowledged, and AMQP sends the prefetch count as 16 bits. */
const prefetchMax = 65_535

/**
 * **What it does.** Reads queues that no process consumes: those that operators inspect. A browse takes all messages
 * unacknowledged, calls `decide`, acknowledges the messages to remove and requeues the others.
 *
 * **Guarantees.** A message is removed only after `decide` has resolved; a crash requeues all of them. A browse is
 * the only consumer of its queue (exclusive): two would each see a part and take it for the whole. During a browse
 * its messages are missing from the depth, so `depth` waits for its end.
 *
 * **Not guaranteed.** That a browse sees messages published during it, or more than `messagesMax`.
 */
export class QueueBrowser {
  readonly #options: QueueBrowserOptions

  constructor(options: QueueBrowserOptions) {
    const { messagesMax } = options
    if (!Number.isInteger(messagesMax) || messagesMax < 1 || messagesMax > prefetchMax)
      throw new RangeError(`messagesMax must be a whole number from 1 to ${prefetchMax}, not ${messagesMax}`)
    this.#options = options
  }

  depth(queue: string): Promise<number> {
    return this.#exclusively(queue, async (_channel, { messageCount }) => messageCount)
  }

  async browse(queue: string, decide: Decide): Promise<void> {
    const { messagesMax } = this.#options
    await this.#exclusively(queue, async (channel, { messageCount }) => {
      const taken = await takeAll(channel, queue, Math.min(messageCount, messagesMax))
      if (taken === occupied) return occupied
      await settle({ channel, queue, taken, whole: messageCount <= messagesMax }, decide)
      return undefined
    })
  }

  /** Works on a queue while no browse is in progress. */
  async #exclusively<R>(
    name: string,
    work: (channel: Channel, queue: Replies.AssertQueue) => Promise<R | typeof occupied>,
  ): Promise<R> {
    for (let attempt = 0; attempt < triesMax; attempt += 1) {
      const result = await withChannel(this.#options.connection, async (channel) => {
        const queue = await this.#inspect(channel, name)
        return queue.consumerCount > 0 ? occupied : work(channel, queue)
      })
      if (result !== occupied) return result as R
      await new Promise((resolve) => setTimeout(resolve, retryWaitMs))
    }
    throw new Error(`a browse of ${name} takes longer than ${triesMax * retryWaitMs} ms`)
  }

  async #inspect(channel: Channel, queue: string): Promise<Replies.AssertQueue> {
    await within(callTimeoutMs, `declaring ${queue}`, declareTopology(channel, this.#options.topology))
    return within(callTimeoutMs, `inspecting ${queue}`, channel.checkQueue(queue))
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
  // The consumer is cancelled first, otherwise requeued messages would arrive again.
  await within(callTimeoutMs, 'ending the browse', channel.cancel(tag))
  for (const [index, message] of taken.entries()) {
    const shown = browsed[index]
    if (shown !== undefined && removed.has(shown)) channel.ack(message)
    else channel.nack(message, false, true)
  }
  await settled(channel, queue)
}

/**
 * The broker processes a few acknowledgements at a time and drops the others when the channel closes. A cancelled
 * consumer is counted while it holds messages. So no consumer means that all messages are settled.
 */
async function settled(channel: Channel, queue: string): Promise<void> {
  const deadline = Date.now() + settleTimeoutMs
  for (;;) {
    const { consumerCount } = await within(callTimeoutMs, `inspecting ${queue}`, channel.checkQueue(queue))
    if (consumerCount === 0) return
    if (Date.now() > deadline) throw new Error(`${queue} was not settled within ${settleTimeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, settlePollMs))
  }
}

function show(message: ConsumeMessage): BrowsedMessage {
  const { messageId, headers } = message.properties
  return { messageId: String(messageId ?? ''), body: message.content, headers: headers ?? {} }
}
