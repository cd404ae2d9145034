import { DeadlineError, within } from '@payments/chassis/base/deadline'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { type Channel, type ConsumeMessage, IllegalOperationError } from 'amqplib'
import { callTimeoutMs, withChannel } from '../broker/channel.ts'
import type { BrokerConnection } from '../broker/connection.ts'
import { type QueueCounts, readCounts } from '../broker/queue-counts.ts'
import { declareTopology, type Topology } from '../broker/topology.ts'

export interface BrowsedMessage {
  readonly messageId: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

/** The messages of a queue behind the messages of a browse. */
export interface Rest {
  /** 0: the browse has the whole queue. */
  readonly count: number
  remove(): Promise<void>
}

/** Returns the messages to remove. */
export type Decide = (messages: readonly BrowsedMessage[], rest: Rest) => Promise<readonly BrowsedMessage[]>

export interface QueueBrowserOptions {
  /** A consuming connection. */
  readonly connection: Pick<BrokerConnection, 'openChannel'>
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
/** Tries whose counts were not known. The broker takes 250 ms for each. */
const unknownMax = 10
/** The browse takes its messages unacknowledged, and AMQP sends the prefetch count as 16 bits. */
const prefetchMax = 65_535

/**
 * **What it does.** Reads queues that no process consumes: those that operators inspect. A browse takes all messages
 * unacknowledged, calls `decide`, acknowledges the messages to remove and requeues the others.
 *
 * **Guarantees.** A message is removed only after `decide` has resolved; a crash requeues all of them. A browse is
 * the only consumer of its queue: two would each see a part. During a browse its messages are missing from the depth,
 * so `depth` waits for its end. A queue is empty only if its leader said so. While it does not, or another browse does
 * not end, both methods throw service_unavailable.
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
      const expected = Math.min(messageCount, messagesMax)
      const taken = await takeAll(channel, queue, expected)
      if (taken === occupied) return occupied
      await settle({ channel, queue, taken, restCount: messageCount - expected }, decide)
      return undefined
    })
  }

  /** Works on a queue while no browse is in progress. */
  async #exclusively<R>(
    name: string,
    work: (channel: Channel, counts: QueueCounts) => Promise<R | typeof occupied>,
  ): Promise<R> {
    let unknown = 0
    for (let attempt = 0; attempt < triesMax && unknown < unknownMax; attempt += 1) {
      const result = await withChannel(this.#options.connection, async (channel) => {
        await within(callTimeoutMs, `declaring ${name}`, declareTopology(channel, this.#options.topology))
        const counts = await readIdleCounts(channel, name)
        if (counts === undefined) unknown += 1
        return counts === undefined || counts.consumerCount > 0 ? occupied : work(channel, counts)
      }).catch((error: unknown) => {
        throw isOfBroker(error) ? unresponsive(name, error) : error
      })
      if (result !== occupied) return result as R
      await new Promise((resolve) => setTimeout(resolve, retryWaitMs * (0.5 + Math.random())))
    }
    const detail =
      unknown < unknownMax ? `A browse of ${name} takes too long` : `The broker does not know the depth of ${name}`
    throw new Problem(commonProblems.service_unavailable, { detail })
  }
}

/** amqplib has no class for the error of a call in progress when its channel closes. */
const isOfBroker = (error: unknown): error is Error =>
  error instanceof DeadlineError ||
  error instanceof IllegalOperationError ||
  (error instanceof Error && /^(?:channel|connection) (?:ended|closed|closing)/i.test(error.message))

function unresponsive(queue: string, cause: Error): Problem {
  const detail = `The broker does not respond about ${queue}`
  return new Problem(commonProblems.service_unavailable, { detail, cause })
}

/**
 * The counts of a queue that is consumed by browses only. A reply without messages and consumers counts as known when
 * the leader of the queue has replied to a `get` between two of them: one that cannot be reached replies to none.
 */
async function readIdleCounts(channel: Channel, queue: string): Promise<QueueCounts | undefined> {
  const counts = await readCounts(channel, queue)
  if (counts === undefined || counts.messageCount + counts.consumerCount > 0) return counts
  const message = await within(callTimeoutMs, `reading ${queue}`, channel.get(queue))
  if (message === false) return readCounts(channel, queue)
  channel.nack(message, false, true)
  return undefined
}

const occupied = Symbol('another browse is in progress')
const tag = 'browse'

/**
 * Takes the `expected` messages. Fewer arrive when the previous browse had not ended at the inspection: then the browse
 * is repeated, and closing the channel requeues the messages. An empty queue is consumed too, and of several consumers
 * none proceeds but the first; a message that arrives then returns to the queue.
 */
async function takeAll(channel: Channel, queue: string, expected: number): Promise<ConsumeMessage[] | typeof occupied> {
  const taken: ConsumeMessage[] = []
  await channel.prefetch(Math.max(1, expected))
  let quiet: NodeJS.Timeout | undefined
  const ended = new Promise<void>((resolve, reject) => {
    channel.once('close', () => reject(new Error(`the channel closed during a browse of ${queue}`)))
    quiet = setTimeout(resolve, quietMs)
    const onMessage = (message: ConsumeMessage | null) => {
      if (message !== null && taken.length < expected) taken.push(message)
      if (message === null || taken.length >= expected) resolve()
      else quiet?.refresh()
    }
    const consuming = channel.consume(queue, onMessage, { consumerTag: tag, exclusive: true, noAck: false })
    consuming.catch(reject)
    if (expected === 0) consuming.then(() => resolve(), reject)
  })
  try {
    await ended
    if (expected === 0) return (await readCounts(channel, queue))?.consumerCount === 1 ? taken : occupied
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
  readonly restCount: number
}

async function settle({ channel, queue, taken, restCount }: Browse, decide: Decide): Promise<void> {
  const browsed = taken.map(show)
  const rest: Rest = {
    count: restCount,
    remove: async () => {
      await within(callTimeoutMs, `emptying ${queue}`, channel.purgeQueue(queue))
    },
  }
  const removed = new Set(await decide(browsed, rest))
  // The consumer is cancelled first, otherwise requeued messages would arrive again.
  await within(callTimeoutMs, 'ending the browse', channel.cancel(tag))
  if (taken.length === 0) return
  for (const [index, message] of taken.entries()) {
    const shown = browsed[index]
    if (shown !== undefined && removed.has(shown)) channel.ack(message)
    else channel.nack(message, false, true)
  }
  await untilSettled(channel, queue)
}

/**
 * The broker processes a few acknowledgements at a time and drops the others when the channel closes. A cancelled
 * consumer is counted while it holds messages. So no consumer means that all messages are settled.
 */
async function untilSettled(channel: Channel, queue: string): Promise<void> {
  const deadline = Date.now() + settleTimeoutMs
  for (;;) {
    const counts = await readIdleCounts(channel, queue)
    if (counts?.consumerCount === 0) return
    if (Date.now() > deadline) throw new Error(`${queue} was not settled within ${settleTimeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, settlePollMs))
  }
}

function show(message: ConsumeMessage): BrowsedMessage {
  const { messageId, headers } = message.properties
  return { messageId: String(messageId ?? ''), body: message.content, headers: headers ?? {} }
}
