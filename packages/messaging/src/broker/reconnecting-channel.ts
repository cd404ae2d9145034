import { within } from '@payments/chassis/base/deadline'
import type { Channel } from 'amqplib'
import type { Logger } from 'pino'
import type { BrokerConnection } from './connection.ts'
import { ReopenTimer } from './reopen-timer.ts'
import { declareTopology, type Topology } from './topology.ts'

export interface ReconnectingChannelOptions<C extends Channel> {
  readonly connection: BrokerConnection
  readonly open: () => Promise<C>
  readonly topology: Topology
  readonly opened: (channel: C) => Promise<void> | void
  readonly lost: () => void
  readonly log: Logger
  /** Null: another channel of the process declares the same topology again. Default: 30 s. */
  readonly redeclareMs?: number | null | undefined
}

const openTimeoutMs = 10_000
const closeTimeoutMs = 2_000

/** A channel in preparation; `invalid` is the reason why it must not become the current channel. */
interface Candidate<C extends Channel> {
  channel: C | undefined
  invalid: string | undefined
}

/**
 * **What it does.** Keeps one channel open. The channel reopens after its connection reconnects, after the broker
 * closes it, and after `rebuild`; the topology is declared first, then `opened` runs.
 *
 * **Participants.** The connection; the publisher or consumer, which prepares the channel in `opened` and handles its
 * loss in `lost`; the reopen timer, which has the delays; a timer that declares the topology every `redeclareMs`.
 *
 * **Guarantees.** Attempts are 50 ms to 5 s apart; none runs while the connection is down. `lost` is called once per
 * channel that was open. No error is thrown into amqplib, where it would end the connection.
 *
 * **Not guaranteed.** Messages in flight on the previous channel: `lost` decides about them.
 */
export class ReconnectingChannel<C extends Channel> {
  readonly #options: ReconnectingChannelOptions<C>
  readonly #unwatch: () => void
  readonly #reopening = new ReopenTimer(() => void this.#tryOpen())
  readonly #redeclaring: NodeJS.Timeout | undefined
  #channel: C | undefined
  #opening: Candidate<C> | undefined
  #closed = false
  #reason = 'not opened yet'

  constructor(options: ReconnectingChannelOptions<C>) {
    this.#options = options
    const { redeclareMs = 30_000 } = options
    if (redeclareMs !== null)
      this.#redeclaring = setInterval(() => void redeclare(options, this.#channel), redeclareMs).unref()
    this.#unwatch = options.connection.watch({
      up: () => {
        this.#reopening.reset()
        void this.#tryOpen()
      },
    })
  }

  current(): C | undefined {
    return this.#channel
  }

  /** The reason why there is no channel; undefined if there is one. */
  unavailableReason(): string | undefined {
    return this.#channel === undefined ? this.#reason : undefined
  }

  /** Abandons the current channel, or the one in preparation, and opens another. */
  rebuild(why: string): void {
    if (this.#opening !== undefined) this.#opening.invalid ??= why
    const old = this.#channel
    this.#drop(why)
    void this.#abandon(old)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#opening !== undefined) this.#opening.invalid ??= 'closed'
    this.#unwatch()
    this.#reopening.stop()
    clearInterval(this.#redeclaring)
    const old = this.#channel
    this.#channel = undefined
    await this.#abandon(old)
  }

  async #tryOpen(): Promise<void> {
    const { log } = this.#options
    if (this.#closed || this.#opening !== undefined || this.#channel !== undefined || !this.#isConnected()) return
    const candidate: Candidate<C> = { channel: undefined, invalid: undefined }
    this.#opening = candidate
    try {
      const channel = await within(openTimeoutMs, 'opening a channel', this.#prepare(candidate))
      // A close in the same packet as the last response is handled before this line.
      if (candidate.invalid !== undefined) throw new Error(candidate.invalid)
      this.#channel = channel
      this.#reopening.noteOpen()
      if (this.#reopening.hasFailed()) log.info('the channel is open again')
    } catch (error) {
      candidate.invalid ??= 'abandoned'
      void this.#abandon(candidate.channel)
      this.#retryLater(error)
    } finally {
      this.#opening = undefined
    }
  }

  async #prepare(candidate: Candidate<C>): Promise<C> {
    const channel = await this.#options.open()
    candidate.channel = channel
    listen(channel, this.#options.log)
    channel.on('close', () => {
      if (channel === this.#channel) this.#drop('the broker closed the channel')
      else candidate.invalid ??= 'the broker closed the channel while it was prepared'
    })
    if (candidate.invalid === undefined) await declareTopology(channel, this.#options.topology)
    if (candidate.invalid === undefined) await this.#options.opened(channel)
    if (candidate.invalid === undefined) return channel
    void this.#abandon(channel)
    throw new Error(candidate.invalid)
  }

  #retryLater(error: unknown): void {
    if (this.#closed) return
    const message = error instanceof Error ? error.message : String(error)
    if (message !== this.#reason) this.#options.log.warn({ err: error }, 'cannot open a channel')
    this.#reason = message
    this.#reopening.noteFailure()
  }

  #drop(why: string): void {
    if (this.#channel === undefined) return
    this.#channel = undefined
    this.#reason = why
    if (!this.#closed) this.#options.log.warn({ why }, 'the channel is lost')
    this.#options.lost()
    this.#reopening.noteLoss()
  }

  /** A channel that cannot be closed is closed already, or closes with its connection. */
  async #abandon(old: C | undefined): Promise<void> {
    try {
      if (old !== undefined) await within(closeTimeoutMs, 'closing a channel', old.close())
    } catch (error) {
      this.#options.log.debug({ err: error }, 'the channel was closed already')
    }
  }

  #isConnected(): boolean {
    return this.#options.connection.ready().ready || this.#options.connection.isBlocked()
  }
}

/** No notification reports a deleted queue. */
async function redeclare(
  { connection, topology, log }: Pick<ReconnectingChannelOptions<Channel>, 'connection' | 'topology' | 'log'>,
  channel: Channel | undefined,
): Promise<void> {
  if (channel === undefined || connection.isBlocked()) return
  try {
    await within(openTimeoutMs, 'declaring the topology', declareTopology(channel, topology))
  } catch (error) {
    // An error has closed the channel, which is reopened. After a time-out the next interval declares again.
    log.warn({ err: error }, 'cannot declare the topology again')
  }
}

/**
 * Without an `error` listener an error ends the process. Without `handler-error` an error of a listener ends the
 * connection.
 */
function listen(channel: Channel, log: Logger): void {
  channel.on('error', (error: Error) => log.warn({ err: error }, 'the broker closed the channel'))
  channel.on('handler-error', (error: Error, event: string) => log.error({ err: error, event }, 'a listener threw'))
}
