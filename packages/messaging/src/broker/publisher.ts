import type { ConfirmChannel, Message } from 'amqplib'
import type { Logger } from 'pino'
import { ConfirmWindow } from './confirm-window.ts'
import type { BrokerConnection, Readiness } from './connection.ts'
import { type PendingPublication, type Publication, PublishError } from './publication.ts'
import { ReconnectingChannel } from './reconnecting-channel.ts'
import type { Topology } from './topology.ts'

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

/**
 * **What it does.** Publishes messages with publisher confirms.
 *
 * **Participants.** Callers wait in `waiting` until the confirm window has capacity for their message. The reconnecting
 * channel carries the messages. A timer rejects overdue ones.
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
  readonly #waitingMax: number
  readonly #timeoutMs: number
  readonly #channel: ReconnectingChannel<ConfirmChannel>
  #sweepTimer: NodeJS.Timeout | undefined
  readonly #unwatch: () => void
  readonly #waiting: PendingPublication[] = []
  readonly #window: ConfirmWindow
  #closed = false
  #idle: (() => void) | undefined

  constructor(options: PublisherOptions) {
    const { connection, topology, log } = options
    if (connection.purpose !== 'publish') throw new Error('a publisher needs a connection with the purpose publish')
    this.#options = options
    this.#waitingMax = options.waitingMax ?? 10_000
    this.#timeoutMs = options.timeoutMs ?? 5_000
    this.#window = new ConfirmWindow({
      messagesMax: options.windowMax ?? 500,
      bytesMax: options.windowBytesMax ?? 16 * 1024 * 1024,
      settled: () => this.#pump(),
    })
    this.#channel = new ReconnectingChannel({
      connection,
      topology,
      log,
      open: () => connection.openConfirmChannel(),
      opened: (channel) => {
        channel.on('return', (message: Message) => this.#window.markReturned(message))
        // The channel becomes current once this function has returned.
        setImmediate(() => this.#pump())
      },
      lost: () => this.#window.reject(() => new PublishError('closed', 'the channel closed before a confirm')),
    })
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
      this.#scheduleSweep()
    })
  }

  ready(): Readiness {
    const state = this.#options.connection.ready()
    if (!state.ready || this.#channel.unavailableReason() === undefined) return state
    return { ready: false, reason: 'no channel to publish on' }
  }

  /** Number of messages sent and not confirmed. */
  countInFlight(): number {
    return this.#window.size()
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
    clearTimeout(this.#sweepTimer)
    this.#unwatch()
    await this.#channel.close()
  }

  #pump(): void {
    const channel = this.#channel.current()
    while (channel !== undefined && !this.#options.connection.isBlocked()) {
      const next = this.#waiting[0]
      if (next === undefined || !this.#window.takes(next)) break
      this.#waiting.shift()
      if (this.#window.send(channel, next)) continue
      // The message is first on the next channel.
      this.#waiting.unshift(next)
      break
    }
    if (this.#window.size() === 0 && this.#waiting.length === 0) this.#idle?.()
  }

  /** While a message is not settled. */
  #scheduleSweep(): void {
    if (this.#sweepTimer !== undefined || (this.#window.size() === 0 && this.#waiting.length === 0)) return
    this.#sweepTimer = setTimeout(() => this.#sweep(), Math.max(10, this.#timeoutMs / 20))
    this.#sweepTimer.unref()
  }

  #sweep(): void {
    this.#sweepTimer = undefined
    const { connection } = this.#options
    const now = Date.now()
    while (this.#waiting[0] !== undefined && this.#waiting[0].deadlineAt <= now) {
      const unavailable = this.#channel.unavailableReason() ?? 'the window is full'
      const why = connection.isBlocked() ? 'the broker blocks publishers' : unavailable
      this.#waiting.shift()?.reject(new PublishError('timeout', `not sent in ${this.#timeoutMs} ms: ${why}`))
    }
    const overdueError = () => new PublishError('timeout', `no confirm in ${this.#timeoutMs} ms`)
    const overdue = this.#window.reject(overdueError, now)
    // A channel that stops confirming is replaced, except while the broker blocks, when another would not confirm
    // either.
    if (overdue > 0 && !connection.isBlocked()) this.#channel.rebuild('a confirm is overdue')
    this.#pump()
    this.#scheduleSweep()
  }
}
