import { createPause, type Pause, within } from '@payments/chassis/deadline'
import { Problem } from '@payments/contracts/problem'
import type { Channel, ConsumeMessage } from 'amqplib'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { BrokerConnection, Readiness } from './connection.ts'
import { type ConsumeMetrics, type ConsumeOutcome, consumeMetrics } from './metrics.ts'
import { isOutage } from './outage.ts'
import { PublishError, type Publisher } from './publisher.ts'
import { ReconnectingChannel } from './reconnecting-channel.ts'
import { declareTopology, type Topology } from './topology.ts'

export interface IncomingMessage {
  readonly body: Buffer
  readonly messageId: string | undefined
  readonly routingKey: string
  readonly headers: Readonly<Record<string, unknown>>
  /** How often the queue has got this message back before. */
  readonly deliveryCount: number
}

export interface ConsumeOptions<T> {
  readonly connection: BrokerConnection
  readonly queue: string
  /** How many messages may be in work at once. */
  readonly prefetch: number
  /** Declared before consuming: the queue, what it is bound to, the quarantine queue. */
  readonly topology: Topology
  readonly read: (body: Buffer, message: IncomingMessage) => T
  readonly handle: (value: T, message: IncomingMessage) => Promise<void>
  /** On the process's publishing connection. */
  readonly publisher: Publisher
  /** The queue that gets what no handler could deal with. */
  readonly quarantine: string
  readonly log: Logger
  readonly metrics?: Registry
  readonly handleTimeoutMs?: number
  readonly stopTimeoutMs?: number
  readonly retryMinMs?: number
  readonly retryMaxMs?: number
  /** How often the topology is declared again, for bindings and queues that somebody deleted. */
  readonly redeclareMs?: number
}

const consumerTag = 'consumer'

/** Consumes from now on, until it is stopped. */
export function consume<T>(options: ConsumeOptions<T>): Consumer<T> {
  return new Consumer(options)
}

/**
 * Takes messages off a quorum queue and settles each of them.
 *
 * `read` makes sense of the body, `handle` does the work and resolves once it is committed. Then:
 *   resolved → ack.
 *   `read` threw, or `handle` threw a Problem → final: published with confirm to the quarantine queue, headers say why; ack.
 *   what we depend on is away (`isOutage`) → the message is kept, unacknowledged, and tried again in place, 100 ms to 5 s apart.
 *   anything else is a bug → back to the queue after a pause that grows with each delivery; past the queue's x-delivery-limit
 *   the broker dead-letters it to the quarantine queue itself.
 *
 * Guarantees: a message is settled only after its work is done, so a crash anywhere repeats it and loses nothing. A poisonous
 * message holds one of `prefetch` places, never the queue. Nothing thrown here reaches amqplib. The consumer comes back after
 * a restart of the broker, a lost channel, and a deleted queue, which it declares anew.
 * Not promised: exactly once, or order. `handle` must be idempotent, and may meet itself on the same message when the channel
 * was lost while it worked. A handle that overruns `handleTimeoutMs` counts as a bug; it is not stopped by that.
 */
export class Consumer<T> {
  readonly #options: ConsumeOptions<T>
  readonly #meters: ConsumeMetrics | undefined
  readonly #kept: ReconnectingChannel<Channel>
  /** Waits between attempts, cut short when the consumer stops. */
  readonly #pauses = new Set<Pause>()
  #inWork = 0
  #stopping = false
  #idle: (() => void) | undefined

  constructor(options: ConsumeOptions<T>) {
    const { connection, topology, queue } = options
    if (connection.purpose !== 'consume') throw new Error('a consumer needs a connection that nobody publishes on')
    this.#options = { ...options, log: options.log.child({ queue }) }
    this.#meters = options.metrics === undefined ? undefined : consumeMetrics(options.metrics)
    this.#kept = new ReconnectingChannel({
      connection,
      topology,
      log: this.#options.log,
      open: () => connection.openChannel(),
      opened: (channel) => this.#opened(channel),
      // The broker redelivers what was in work; the work that still runs finds its channel closed and lets go.
      lost: () => {},
      ...(options.redeclareMs === undefined ? {} : { redeclareMs: options.redeclareMs }),
    })
  }

  ready(): Readiness {
    const state = this.#options.connection.ready()
    const missing = this.#kept.missingBecause()
    if (!state.ready || missing === undefined) return state
    return { ready: false, reason: `not consuming ${this.#options.queue}: ${missing}` }
  }

  /** Messages that are being worked on. */
  inWork(): number {
    return this.#inWork
  }

  /** Takes no new message, waits for those in work at most `stopTimeoutMs`; the broker gives the rest to others. */
  async stop(): Promise<void> {
    if (this.#stopping) return
    this.#stopping = true
    for (const pause of this.#pauses) pause.wake()
    try {
      await within(this.#options.stopTimeoutMs ?? 15_000, `${this.#inWork} messages in work`, this.#finish())
    } catch (error) {
      this.#options.log.warn({ err: error }, 'stopped before all work was done; the broker delivers it again')
    }
    await this.#kept.close()
  }

  async #finish(): Promise<void> {
    await this.#kept.current()?.cancel(consumerTag)
    if (this.#inWork === 0) return
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
  }

  async #opened(channel: Channel): Promise<void> {
    if (this.#stopping) return
    let open = true
    channel.once('close', () => {
      open = false
    })
    await channel.prefetch(this.#options.prefetch)
    const onMessage = (delivery: ConsumeMessage | null) => {
      if (delivery === null) this.#kept.rebuild('the queue was deleted or its leader moved')
      else void this.#work(channel, delivery, () => open)
    }
    await channel.consume(this.#options.queue, onMessage, { consumerTag, noAck: false })
  }

  async #work(channel: Channel, delivery: ConsumeMessage, open: () => boolean): Promise<void> {
    const { queue, log } = this.#options
    const startedAt = performance.now()
    this.#inWork += 1
    try {
      const work = { channel, delivery, open, stopping: () => this.#stopping, wait: (ms: number) => this.#wait(ms) }
      const outcome = await settle(this.#options, work)
      this.#meters?.handled(queue, outcome, (performance.now() - startedAt) / 1000)
    } catch (error) {
      // The channel went while the message was worked on: the broker delivers it again.
      log.debug({ err: error, message_id: delivery.properties.messageId }, 'the message could not be settled')
    } finally {
      this.#inWork -= 1
      if (this.#inWork === 0) this.#idle?.()
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
}

/** Works on one delivery until it is acknowledged or given back. Throws when its channel is gone. */
async function settle<T>(options: ConsumeOptions<T>, work: Work): Promise<ConsumeOutcome> {
  const { log, retryMinMs = 100, retryMaxMs = 5_000 } = options
  const { channel, delivery } = work
  const message = incoming(delivery)
  for (let attempt = 0; work.open(); attempt += 1) {
    const verdict = await decide(options, work, message)
    if (verdict.outcome !== 'undecided') {
      channel.ack(delivery)
      return verdict.outcome
    }
    const detail = { err: verdict.error, message_id: message.messageId, delivery_count: message.deliveryCount }
    const outage = isOutage(verdict.error)
    if (!outage) log.error(detail, 'a bug: the message goes back to the queue')
    else if (attempt === 0) log.warn(detail, 'something we depend on is away: the message waits')
    const exponent = Math.min(outage ? attempt : message.deliveryCount, 16)
    await work.wait(Math.min(retryMaxMs, retryMinMs * 2 ** exponent))
    if (!outage || work.stopping()) {
      channel.nack(delivery, false, true)
      return 'requeued'
    }
  }
  throw new Error('the channel closed while the message waited')
}

type Verdict =
  | { readonly outcome: 'acked' | 'quarantined' }
  | { readonly outcome: 'undecided'; readonly error: unknown }

async function decide<T>(options: ConsumeOptions<T>, work: Work, message: IncomingMessage): Promise<Verdict> {
  try {
    const refusal = await attemptOnce(options, message)
    if (refusal === undefined) return { outcome: 'acked' }
    await quarantine(options, work, message, refusal)
    return { outcome: 'quarantined' }
  } catch (error) {
    return { outcome: 'undecided', error }
  }
}

/** Why the message must not be tried again. */
interface UserError {
  readonly reason: 'unreadable' | 'problem'
  readonly error: unknown
}

/** Resolves with nothing when the work is done, with a refusal when it never will be; throws when it may be tried again. */
async function attemptOnce<T>(options: ConsumeOptions<T>, message: IncomingMessage): Promise<UserError | undefined> {
  const { handleTimeoutMs = 60_000 } = options
  let value: T
  try {
    value = options.read(message.body, message)
  } catch (error) {
    return { reason: 'unreadable', error }
  }
  try {
    await within(handleTimeoutMs, 'handling a message', options.handle(value, message))
    return undefined
  } catch (error) {
    if (error instanceof Problem) return { reason: 'problem', error }
    throw error
  }
}

async function quarantine<T>(
  options: ConsumeOptions<T>,
  work: Work,
  message: IncomingMessage,
  refusal: UserError,
): Promise<void> {
  const { reason, error } = refusal
  const detail = (error instanceof Error ? error.message : String(error)).slice(0, 500)
  const { 'x-delivery-count': _ofTheOldQueue, ...headers } = message.headers
  try {
    await options.publisher.publish({
      exchange: '',
      routingKey: options.quarantine,
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
      mandatory: true,
    })
  } catch (failure) {
    // Somebody deleted the quarantine queue. It is there again for the next attempt.
    if (failure instanceof PublishError && failure.failure === 'returned') {
      await declareTopology(work.channel, options.topology)
    }
    throw failure
  }
  options.log.warn({ message_id: message.messageId, reason, detail }, 'quarantined')
}

function incoming(delivery: ConsumeMessage): IncomingMessage {
  const headers = delivery.properties.headers ?? {}
  const count: unknown = headers['x-delivery-count']
  return {
    body: delivery.content,
    messageId: delivery.properties.messageId as string | undefined,
    routingKey: delivery.fields.routingKey,
    headers,
    deliveryCount: typeof count === 'number' ? count : 0,
  }
}
