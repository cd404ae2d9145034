import { createPause, type Pause, within } from '@payments/chassis/base/deadline'
import { tracing } from '@payments/chassis/observability/trace'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Channel, ConsumeMessage } from 'amqplib'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { BrokerConnection, Readiness } from '../broker/connection.ts'
import { inMessageSpan } from '../broker/message-spans.ts'
import { PublishError } from '../broker/publication.ts'
import type { Publisher } from '../broker/publisher.ts'
import { ReconnectingChannel } from '../broker/reconnecting-channel.ts'
import { declareTopology, type QueueAddress, type Topology } from '../broker/topology.ts'
import { type ConsumeMetrics, type ConsumeOutcome, consumeMetrics } from './consume-metrics.ts'
import { type IncomingMessage, incoming } from './incoming-message.ts'
import { isOutage } from './outage.ts'

export interface ConsumeOptions<T> {
  readonly connection: BrokerConnection
  readonly queue: string
  /** Maximum number of messages in progress. */
  readonly prefetch: number
  /** Declared before consuming: the queue, its bindings and their exchanges, the quarantine queue. */
  readonly topology: Topology
  readonly read: (body: Buffer, message: IncomingMessage) => T
  readonly handle: (value: T, message: IncomingMessage) => Promise<void>
  /** Uses the publishing connection of the process. */
  readonly publisher: Publisher
  /** The queue for messages that no handler can process. */
  readonly quarantine: QueueAddress
  readonly log: Logger
  readonly metrics: Registry
  readonly handleTimeoutMs?: number
  readonly stopTimeoutMs?: number
  readonly retryMinMs?: number
  readonly retryMaxMs?: number
  /**
   * Interval at which the topology is declared again, to restore deleted bindings and queues. Null: never, because
   * another channel of the process declares it.
   */
  readonly redeclareMs?: number | null
}

const consumerTag = 'consumer'

export function consume<T>(options: ConsumeOptions<T>): Consumer<T> {
  return new Consumer(options)
}

/**
 * **What it does.** Consumes a quorum queue: `read` decodes the body, `handle` does the work and resolves after its
 * commit. A resolved message is acknowledged. One that `read` or a Problem rejects is quarantined. During an outage of
 * a dependency (`isOutage`) it is retried in place, 100 ms to 5 s apart. After any other error, a bug, it is requeued
 * after a growing pause.
 *
 * **Guarantees.** A crash repeats work and loses none. A failing message occupies one of `prefetch`, never the queue.
 * The consumer recovers from a lost broker, channel or queue.
 *
 * **Not guaranteed.** Exactly once, or order. `handle` may run twice at once after a lost channel, and is not stopped
 * after `handleTimeoutMs`, which counts as a bug.
 */
export class Consumer<T> {
  readonly #options: ConsumeOptions<T>
  readonly #metrics: ConsumeMetrics
  readonly #channel: ReconnectingChannel<Channel>
  /** Waits between attempts; stopping the consumer ends them. */
  readonly #pauses = new Set<Pause>()
  #inProgress = 0
  #stopping = false
  #idle: (() => void) | undefined

  constructor(options: ConsumeOptions<T>) {
    const { connection, topology, queue } = options
    if (connection.purpose !== 'consume') throw new Error('a consumer needs a connection with the purpose consume')
    this.#options = { ...options, log: options.log.child({ queue }) }
    this.#metrics = consumeMetrics(options.metrics, queue)
    this.#channel = new ReconnectingChannel({
      connection,
      topology,
      log: this.#options.log,
      open: () => connection.openChannel(),
      opened: (channel) => this.#startConsuming(channel),
      // The broker redelivers messages in progress. Their handlers find the channel closed and do not settle.
      lost: () => {},
      redeclareMs: options.redeclareMs,
    })
  }

  ready(): Readiness {
    const state = this.#options.connection.ready()
    const unavailable = this.#channel.unavailableReason()
    if (!state.ready || unavailable === undefined) return state
    return { ready: false, reason: `not consuming ${this.#options.queue}` }
  }

  inProgress(): number {
    return this.#inProgress
  }

  /**
   * Accepts no new message and waits at most `stopTimeoutMs` for messages in progress. The broker redelivers the
   * rest.
   */
  async stop(): Promise<void> {
    if (this.#stopping) return
    this.#stopping = true
    for (const pause of this.#pauses) pause.wake()
    try {
      await within(this.#options.stopTimeoutMs ?? 15_000, `${this.#inProgress} messages in progress`, this.#finish())
    } catch (error) {
      this.#options.log.warn({ err: error }, 'stopped with messages in progress; the broker redelivers them')
    }
    await this.#channel.close()
  }

  async #finish(): Promise<void> {
    await this.#channel.current()?.cancel(consumerTag)
    if (this.#inProgress === 0) return
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
  }

  async #startConsuming(channel: Channel): Promise<void> {
    if (this.#stopping) return
    let open = true
    channel.once('close', () => {
      open = false
    })
    await channel.prefetch(this.#options.prefetch)
    const onMessage = (delivery: ConsumeMessage | null) => {
      if (delivery === null) this.#channel.rebuild('the queue was deleted or its leader moved')
      else void this.#work(channel, delivery, () => open)
    }
    await channel.consume(this.#options.queue, onMessage, { consumerTag, noAck: false })
  }

  async #work(channel: Channel, delivery: ConsumeMessage, open: () => boolean): Promise<void> {
    const { log } = this.#options
    const startedAt = performance.now()
    let waits = false
    this.#inProgress += 1
    try {
      const outcome = await settle(this.#options, {
        channel,
        delivery,
        open,
        stopping: () => this.#stopping,
        wait: (waitMs) => this.#wait(waitMs),
        meetOutage: () => {
          if (!waits) this.#metrics.waiting(1)
          waits = true
        },
      })
      this.#metrics.handled(outcome, (performance.now() - startedAt) / 1000)
    } catch (error) {
      // The channel closed while the message was in progress. The broker redelivers it.
      log.debug({ err: error, message_id: delivery.properties.messageId }, 'the message could not be settled')
    } finally {
      if (waits) this.#metrics.waiting(-1)
      this.#inProgress -= 1
      if (this.#inProgress === 0) this.#idle?.()
    }
  }

  async #wait(waitMs: number): Promise<void> {
    if (this.#stopping) return
    const pause = createPause()
    this.#pauses.add(pause)
    await pause.wait(waitMs)
    this.#pauses.delete(pause)
  }
}

interface Work {
  readonly channel: Channel
  readonly delivery: ConsumeMessage
  readonly wait: (waitMs: number) => Promise<void>
  readonly stopping: () => boolean
  /** Whether the delivery can still be settled. */
  readonly open: () => boolean
  /** Counts the message among those that wait for the end of an outage. */
  readonly meetOutage: () => void
}

/** An outage that does not end, such as a query of a missing column, is logged again about every five minutes. */
const attemptsPerWarning = 60

/** Processes one delivery until it is acknowledged or requeued. Throws if the channel closed. */
async function settle<T>(options: ConsumeOptions<T>, work: Work): Promise<ConsumeOutcome> {
  const { log, retryMinMs = 100, retryMaxMs = 5_000 } = options
  const { channel, delivery } = work
  const message = incoming(delivery)
  for (let attempt = 0; work.open(); attempt += 1) {
    const result = await attemptOnce(options, channel, message).catch((error: unknown) => ({ error }))
    if (typeof result === 'string') {
      channel.ack(delivery)
      return result
    }
    const { error: err } = result
    const detail = { err, message_id: message.messageId, delivery_count: message.deliveryCount }
    const outage = isOutage(err)
    if (outage) work.meetOutage()
    if (!outage) log.error(detail, 'unexpected error: the message is requeued')
    else if (attempt % attemptsPerWarning === 0) {
      log.warn({ ...detail, attempts: attempt + 1 }, 'a dependency is unavailable: the message waits')
    }
    const exponent = Math.min(outage ? attempt : message.deliveryCount, 16)
    await work.wait(Math.min(retryMaxMs, retryMinMs * 2 ** exponent))
    if (!outage || work.stopping()) {
      channel.nack(delivery, false, true)
      return 'requeued'
    }
  }
  throw new Error('the channel closed while the message waited')
}

/** Does the work, or quarantines a message with a final failure. Throws if the message may be retried. */
async function attemptOnce<T>(
  options: ConsumeOptions<T>,
  channel: Channel,
  message: IncomingMessage,
): Promise<'acked' | 'quarantined'> {
  const { handleTimeoutMs = 60_000 } = options
  let value: T
  try {
    value = options.read(message.body, message)
  } catch (error) {
    return quarantine(options, channel, message, { reason: 'unreadable', error })
  }
  try {
    const handled = inSpanOfMessage(options.queue, message, () => options.handle(value, message))
    await within(handleTimeoutMs, 'handling a message', handled)
    return 'acked'
  } catch (error) {
    if (!(error instanceof Problem) || isOutage(error)) throw error
    return quarantine(options, channel, message, { reason: 'problem', error })
  }
}

/** A message without a `traceparent`, such as a message of a retry queue, has no span. */
function inSpanOfMessage(destination: string, message: IncomingMessage, work: () => Promise<void>): Promise<void> {
  const { traceparent: parent, 'trace-id': traceId } = message.headers
  if (tracing === undefined || typeof parent !== 'string' || typeof traceId !== 'string') return work()
  return inMessageSpan(tracing, 'process', { ...message, destination, traceId, parent }, work)
}

async function quarantine<T>(
  options: ConsumeOptions<T>,
  channel: Channel,
  message: IncomingMessage,
  { reason, error: cause }: { readonly reason: 'unreadable' | 'problem'; readonly error: unknown },
): Promise<'quarantined'> {
  const detail = (cause instanceof Error ? cause.message : String(cause)).slice(0, 500)
  const { 'x-delivery-count': _ofOriginalQueue, ...headers } = message.headers
  try {
    await options.publisher.publish({
      exchange: options.quarantine.exchange,
      routingKey: options.quarantine.queue,
      body: message.body,
      messageId: message.messageId ?? '',
      headers: {
        ...headers,
        'x-quarantine-reason': reason,
        'x-quarantine-detail': detail,
        'x-quarantine-queue': options.queue,
        'x-quarantine-routing-key': message.routingKey,
        'x-quarantine-at': new Date().toISOString(),
      },
    })
  } catch (error) {
    // The quarantine queue was deleted. It is declared again for the next attempt.
    if (error instanceof PublishError && error.failure === 'returned') {
      await declareTopology(channel, options.topology)
    }
    throw error
  }
  options.log.warn({ message_id: message.messageId, reason, detail }, 'quarantined')
  return 'quarantined'
}
