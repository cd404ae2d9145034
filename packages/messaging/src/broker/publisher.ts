import { type ConfirmChannel, IllegalOperationError, type Message } from 'amqplib'
import type { Logger } from 'pino'
import type { BrokerConnection, Readiness } from './connection.ts'
import { ReconnectingChannel } from './reconnecting-channel.ts'
import type { Topology } from './topology.ts'

export interface Publication {
  /** '' publishes to the queue named by `routingKey`. */
  readonly exchange: string
  readonly routingKey: string
  readonly body: Buffer
  readonly messageId: string
  readonly headers?: Readonly<Record<string, unknown>>
  /** Whether `publish` rejects a message that no queue takes (default: true). Otherwise the broker drops it. */
  readonly mandatory?: boolean
}

export const publishFailures = ['returned', 'nacked', 'closed', 'timeout', 'overloaded', 'invalid'] as const
export type PublishFailure = (typeof publishFailures)[number]

/**
 * returned: no queue takes the message. nacked: a queue is full. closed: the channel or publisher closed. timeout: not
 * confirmed in time. overloaded: too many callers wait. invalid: the message cannot be encoded.
 */
export class PublishError extends Error {
  override readonly name = 'PublishError'
  readonly failure: PublishFailure

  constructor(failure: PublishFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}

export interface PublisherOptions {
  readonly connection: BrokerConnection
  /** Declared on each new channel: the exchanges and queues that messages are published to. */
  readonly topology: Topology
  readonly log: Logger
  readonly windowMax?: number
  readonly windowBytesMax?: number
  readonly waitingMax?: number
  /** From the call to the confirm. */
  readonly timeoutMs?: number
}

interface PendingPublication {
  readonly publication: Publication
  readonly deadlineAt: number
  returned: boolean
  readonly resolve: () => void
  readonly reject: (error: PublishError) => void
}

/**
 * **What it does.** Publishes messages with publisher confirms.
 *
 * **Participants.** Callers wait in `waiting` until the window has capacity. `inFlight` holds messages that are sent
 * and not confirmed. The reconnecting channel carries them. A timer rejects overdue messages.
 *
 * **Guarantees.** `publish` resolves only after the confirm, and rejects with a PublishError after at most `timeoutMs`.
 * At most `windowMax` messages and about `windowBytesMax` bytes are unconfirmed; at most `waitingMax` callers wait.
 * While the broker is blocked or unreachable, callers wait until their deadline.
 *
 * **Not guaranteed.** That a rejected message was not stored: a confirm can be lost, so a caller that retries may
 * publish a message twice, with the same `messageId`. Order among messages.
 */
export class Publisher {
  readonly #options: PublisherOptions
  readonly #windowMax: number
  readonly #windowBytesMax: number
  readonly #waitingMax: number
  readonly #timeoutMs: number
  readonly #channel: ReconnectingChannel<ConfirmChannel>
  readonly #sweepTimer: NodeJS.Timeout
  readonly #unwatch: () => void
  readonly #waiting: PendingPublication[] = []
  // In the order of sending, which is the order of the deadlines.
  readonly #inFlight = new Set<PendingPublication>()
  #bytes = 0
  #closed = false
  #idle: (() => void) | undefined

  constructor(options: PublisherOptions) {
    const { connection, topology, log } = options
    if (connection.purpose !== 'publish') throw new Error('a publisher needs a connection with the purpose publish')
    this.#options = options
    this.#windowMax = options.windowMax ?? 500
    this.#windowBytesMax = options.windowBytesMax ?? 16 * 1024 * 1024
    this.#waitingMax = options.waitingMax ?? 10_000
    this.#timeoutMs = options.timeoutMs ?? 5_000
    this.#channel = new ReconnectingChannel({
      connection,
      topology,
      log,
      open: () => connection.openConfirmChannel(),
      opened: (channel) => {
        channel.on('return', (message: Message) => markReturned(this.#inFlight, message))
        // The channel becomes current once this function has returned.
        setImmediate(() => this.#pump())
      },
      lost: () => this.#rejectInFlight(),
    })
    this.#sweepTimer = setInterval(() => this.#sweep(), Math.max(10, this.#timeoutMs / 20))
    this.#sweepTimer.unref()
    this.#unwatch = connection.watch({ unblocked: () => this.#pump() })
  }

  /** Resolves when the broker has confirmed the message. Rejects with a PublishError. */
  publish(publication: Publication): Promise<void> {
    if (this.#closed) return Promise.reject(new PublishError('closed', 'the publisher is closed'))
    if (this.#waiting.length >= this.#waitingMax) {
      return Promise.reject(new PublishError('overloaded', `${this.#waitingMax} messages already wait`))
    }
    return new Promise((resolve, reject) => {
      const deadlineAt = Date.now() + this.#timeoutMs
      this.#waiting.push({ publication, deadlineAt, returned: false, resolve, reject })
      this.#pump()
    })
  }

  ready(): Readiness {
    const state = this.#options.connection.ready()
    if (!state.ready || this.#channel.unavailableReason() === undefined) return state
    return { ready: false, reason: 'no channel to publish on' }
  }

  /** Number of messages sent and not confirmed. */
  inFlight(): number {
    return this.#inFlight.size
  }

  /** Number of messages not sent yet. */
  waiting(): number {
    return this.#waiting.length
  }

  /** Accepts no new message. Resolves when every accepted message is confirmed or past its deadline. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await new Promise<void>((resolve) => {
      this.#idle = resolve
      this.#pump()
    })
    clearInterval(this.#sweepTimer)
    this.#unwatch()
    await this.#channel.close()
  }

  #pump(): void {
    const channel = this.#channel.current()
    while (channel !== undefined && !this.#options.connection.blocked() && this.#inFlight.size < this.#windowMax) {
      const next = this.#waiting[0]
      if (next === undefined) break
      if (this.#inFlight.size > 0 && this.#bytes + next.publication.body.length > this.#windowBytesMax) break
      this.#waiting.shift()
      if (!this.#send(channel, next)) break
    }
    if (this.#inFlight.size === 0 && this.#waiting.length === 0) this.#idle?.()
  }

  /** Returns false if the channel is closed. */
  #send(channel: ConfirmChannel, pending: PendingPublication): boolean {
    const { exchange, routingKey, body, messageId, headers = {}, mandatory = true } = pending.publication
    const properties = { persistent: true, mandatory, messageId, headers, contentType: 'application/json' }
    this.#inFlight.add(pending)
    this.#bytes += body.length
    try {
      channel.publish(exchange, routingKey, body, properties, (error) =>
        this.#settle(pending, failureOf(pending, error)),
      )
      return true
    } catch (error) {
      this.#inFlight.delete(pending)
      this.#bytes -= body.length
      if (error instanceof IllegalOperationError) {
        // A closed channel throws here before it emits `close`. Nothing was sent: the message is first on the next
        // channel.
        this.#waiting.unshift(pending)
        return false
      }
      pending.reject(new PublishError('invalid', `message ${messageId} cannot be encoded`, { cause: error }))
      return true
    }
  }

  #settle(pending: PendingPublication, error: PublishError | undefined): void {
    // A confirm that arrives after the message was rejected finds nothing.
    if (!this.#inFlight.delete(pending)) return
    this.#bytes -= pending.publication.body.length
    if (error === undefined) pending.resolve()
    else pending.reject(error)
    this.#pump()
  }

  #rejectInFlight(): void {
    for (const pending of [...this.#inFlight]) {
      this.#settle(pending, new PublishError('closed', 'the channel closed before a confirm'))
    }
  }

  #sweep(): void {
    const { connection } = this.#options
    const now = Date.now()
    while (this.#waiting[0] !== undefined && this.#waiting[0].deadlineAt <= now) {
      const unavailable = this.#channel.unavailableReason() ?? 'the window is full'
      const why = connection.blocked() ? 'the broker blocks publishers' : unavailable
      this.#waiting.shift()?.reject(new PublishError('timeout', `not sent in ${this.#timeoutMs} ms: ${why}`))
    }
    const overdue = [...this.#inFlight].filter((pending) => pending.deadlineAt <= now)
    for (const pending of overdue)
      this.#settle(pending, new PublishError('timeout', `no confirm in ${this.#timeoutMs} ms`))
    // A channel that stops confirming is replaced, except while the broker blocks, when another would not confirm
    // either.
    if (overdue.length > 0 && !connection.blocked()) this.#channel.rebuild('a confirm is overdue')
    this.#pump()
  }
}

/** A return arrives before the confirm of the same message. Messages with the same id and address are equal. */
function markReturned(inFlight: Set<PendingPublication>, message: Message): void {
  const { exchange, routingKey } = message.fields
  for (const pending of inFlight) {
    const { publication } = pending
    if (publication.messageId !== message.properties.messageId || pending.returned) continue
    if (publication.exchange !== exchange || publication.routingKey !== routingKey) continue
    pending.returned = true
    return
  }
}

function failureOf(pending: PendingPublication, error: Error | null | undefined): PublishError | undefined {
  const { exchange, routingKey } = pending.publication
  const address = exchange === '' ? routingKey : `${exchange} ${routingKey}`
  if (error instanceof Error) {
    const failure = error.message === 'message nacked' ? 'nacked' : 'closed'
    return new PublishError(failure, `${address}: ${error.message}`, { cause: error })
  }
  return pending.returned ? new PublishError('returned', `${address}: no queue takes it`) : undefined
}
