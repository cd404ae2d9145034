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
  /** Where no queue takes the message: reject (`true`, the default) or let it vanish. The broker confirms it in either case. */
  readonly mandatory?: boolean
}

export type PublishFailure = 'returned' | 'nacked' | 'closed' | 'timeout' | 'overloaded' | 'refused'

/** returned: no queue takes it · nacked: a queue is full · refused: it cannot be encoded · the others say what they say. */
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
  /** Declared before each channel is used: the exchanges and queues published to. */
  readonly topology: Topology
  readonly log: Logger
  readonly windowMax?: number
  readonly windowBytesMax?: number
  readonly waitingMax?: number
  /** From the call to the confirm. */
  readonly timeoutMs?: number
}

interface Entry {
  readonly publication: Publication
  readonly deadlineAt: number
  returned: boolean
  readonly resolve: () => void
  readonly reject: (error: PublishError) => void
}

/**
 * Publishes with confirms, so that "published" means "the broker has it on disk".
 *
 * People: callers wait in `waiting` until the window has room; `inFlight` holds what was sent and not yet confirmed; the kept
 * channel carries it; the sweep looks for what is overdue.
 *
 * Guarantees: `publish` resolves only after the confirm. It rejects after at most `timeoutMs`, with a PublishError that says
 * why. At most `windowMax` messages and about `windowBytesMax` bytes are unconfirmed, at most `waitingMax` callers wait. While
 * the broker is blocked or away, callers wait (up to their deadline) instead of failing at once.
 * Not promised: that a rejected message was not stored. A confirm can be lost on its way, so whoever tries again may send a
 * message twice, with the same `messageId`. Order among messages is not promised either.
 */
export class Publisher {
  readonly #options: PublisherOptions
  readonly #windowMax: number
  readonly #windowBytesMax: number
  readonly #waitingMax: number
  readonly #timeoutMs: number
  readonly #kept: ReconnectingChannel<ConfirmChannel>
  readonly #sweepTimer: NodeJS.Timeout
  readonly #unwatch: () => void
  readonly #waiting: Entry[] = []
  // In the order sent, which is the order of the deadlines.
  readonly #inFlight = new Set<Entry>()
  #bytes = 0
  #closed = false
  #idle: (() => void) | undefined

  constructor(options: PublisherOptions) {
    const { connection, topology, log } = options
    if (connection.purpose !== 'publish') throw new Error('a publisher needs a connection that nobody consumes on')
    this.#options = options
    this.#windowMax = options.windowMax ?? 500
    this.#windowBytesMax = options.windowBytesMax ?? 16 * 1024 * 1024
    this.#waitingMax = options.waitingMax ?? 10_000
    this.#timeoutMs = options.timeoutMs ?? 5_000
    this.#kept = new ReconnectingChannel({
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

  /** Resolves when the broker has confirmed; rejects with a PublishError. */
  publish(publication: Publication): Promise<void> {
    if (this.#closed) return Promise.reject(new PublishError('closed', 'the publisher is closed'))
    if (this.#waiting.length >= this.#waitingMax) {
      return Promise.reject(new PublishError('overloaded', `${this.#waitingMax} messages wait already`))
    }
    return new Promise((resolve, reject) => {
      const deadlineAt = Date.now() + this.#timeoutMs
      this.#waiting.push({ publication, deadlineAt, returned: false, resolve, reject })
      this.#pump()
    })
  }

  ready(): Readiness {
    const state = this.#options.connection.ready()
    const missing = this.#kept.missingBecause()
    if (!state.ready || missing === undefined) return state
    return { ready: false, reason: `no channel to publish on: ${missing}` }
  }

  /** Messages sent and not confirmed. */
  inFlight(): number {
    return this.#inFlight.size
  }

  /** Messages not sent yet. */
  waiting(): number {
    return this.#waiting.length
  }

  /** Takes nothing new, lets what is under way finish or pass its deadline. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await new Promise<void>((resolve) => {
      this.#idle = resolve
      this.#pump()
    })
    clearInterval(this.#sweepTimer)
    this.#unwatch()
    await this.#kept.close()
  }

  #pump(): void {
    const channel = this.#kept.current()
    while (channel !== undefined && !this.#options.connection.blocked() && this.#inFlight.size < this.#windowMax) {
      const next = this.#waiting[0]
      if (next === undefined) break
      if (this.#inFlight.size > 0 && this.#bytes + next.publication.body.length > this.#windowBytesMax) break
      this.#waiting.shift()
      if (!this.#send(channel, next)) break
    }
    if (this.#inFlight.size === 0 && this.#waiting.length === 0) this.#idle?.()
  }

  /** False when the channel turns out to be closed. */
  #send(channel: ConfirmChannel, entry: Entry): boolean {
    const { exchange, routingKey, body, messageId, headers = {}, mandatory = true } = entry.publication
    const properties = { persistent: true, mandatory, messageId, headers, contentType: 'application/json' }
    this.#inFlight.add(entry)
    this.#bytes += body.length
    try {
      channel.publish(exchange, routingKey, body, properties, (error) => this.#settle(entry, verdict(entry, error)))
      return true
    } catch (error) {
      this.#inFlight.delete(entry)
      this.#bytes -= body.length
      if (error instanceof IllegalOperationError) {
        // A closed channel throws here before it says that it closed. Nothing was sent: first in line for the next one.
        this.#waiting.unshift(entry)
        return false
      }
      entry.reject(new PublishError('refused', `message ${messageId} cannot be encoded`, { cause: error }))
      return true
    }
  }

  #settle(entry: Entry, error: PublishError | undefined): void {
    // A confirm that comes after its entry was given up finds nothing.
    if (!this.#inFlight.delete(entry)) return
    this.#bytes -= entry.publication.body.length
    if (error === undefined) entry.resolve()
    else entry.reject(error)
    this.#pump()
  }

  #rejectInFlight(): void {
    for (const entry of [...this.#inFlight]) {
      this.#settle(entry, new PublishError('closed', 'the channel closed before a confirm'))
    }
  }

  #sweep(): void {
    const { connection } = this.#options
    const now = Date.now()
    while (this.#waiting[0] !== undefined && this.#waiting[0].deadlineAt <= now) {
      const missing = this.#kept.missingBecause() ?? 'window full'
      const why = connection.blocked() ? 'the broker asks publishers to wait' : missing
      this.#waiting.shift()?.reject(new PublishError('timeout', `not sent in ${this.#timeoutMs} ms: ${why}`))
    }
    const overdue = [...this.#inFlight].filter((entry) => entry.deadlineAt <= now)
    for (const entry of overdue) this.#settle(entry, new PublishError('timeout', `no confirm in ${this.#timeoutMs} ms`))
    // A channel that stopped confirming is not trusted again. While the broker blocks, another would fare no better.
    if (overdue.length > 0 && !connection.blocked()) this.#kept.rebuild('a confirm is overdue')
    this.#pump()
  }
}

/** A return comes before the confirm of the same message. Messages of the same id and address share their fate. */
function markReturned(inFlight: Set<Entry>, message: Message): void {
  const { exchange, routingKey } = message.fields
  for (const entry of inFlight) {
    const { publication } = entry
    if (publication.messageId !== message.properties.messageId || entry.returned) continue
    if (publication.exchange !== exchange || publication.routingKey !== routingKey) continue
    entry.returned = true
    return
  }
}

function verdict(entry: Entry, error: Error | null | undefined): PublishError | undefined {
  const { exchange, routingKey } = entry.publication
  const address = exchange === '' ? routingKey : `${exchange} ${routingKey}`
  if (error instanceof Error) {
    const failure = error.message === 'message nacked' ? 'nacked' : 'closed'
    return new PublishError(failure, `${address}: ${error.message}`, { cause: error })
  }
  return entry.returned ? new PublishError('returned', `${address}: no queue takes it`) : undefined
}
