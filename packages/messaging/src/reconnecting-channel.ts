import { within } from '@payments/chassis/deadline'
import type { Channel } from 'amqplib'
import type { Logger } from 'pino'
import type { BrokerConnection } from './connection.ts'
import { declareTopology, type Topology } from './topology.ts'

/**
 * A channel that comes back: after its connection, after the broker closed it (a publish to a missing exchange, an ack of
 * an unknown delivery, a queue deleted under it), after `rebuild`. Each time the topology is declared first, then `opened`
 * runs on the new channel. It is declared again every `redeclareMs`, since nobody is told of a binding or a retry queue that
 * somebody deleted. Attempts are spaced 50 ms to 5 s, none is made while the connection is down.
 *
 * What was in flight on the old channel is not carried over: `lost` is called, once per channel that was open, and its owner
 * decides. Nothing that goes wrong here throws into amqplib, where it would end the connection.
 */
export interface ReconnectingChannelOptions<C extends Channel> {
  readonly connection: BrokerConnection
  readonly open: () => Promise<C>
  readonly topology: Topology
  readonly opened: (channel: C) => Promise<void> | void
  readonly lost: () => void
  readonly log: Logger
  readonly openTimeoutMs?: number
  readonly redeclareMs?: number
  readonly closeTimeoutMs?: number
}

/** A channel being prepared; `spoiled` says why it must not become the current one. */
interface Candidate<C extends Channel> {
  channel: C | undefined
  spoiled: string | undefined
}

const retryMinMs = 50
const retryMaxMs = 5_000
/** A channel that lived this long was a good one: the next failure starts the spacing anew. */
const livedWellMs = 1_000

export class ReconnectingChannel<C extends Channel> {
  readonly #options: ReconnectingChannelOptions<C>
  readonly #openTimeoutMs: number
  readonly #closeTimeoutMs: number
  readonly #unwatch: () => void
  readonly #redeclareTimer: NodeJS.Timeout
  #channel: C | undefined
  #opening: Candidate<C> | undefined
  #closed = false
  #failures = 0
  #openedAt = 0
  #reason = 'not opened yet'
  #retryTimer: NodeJS.Timeout | undefined

  constructor(options: ReconnectingChannelOptions<C>) {
    this.#options = options
    this.#openTimeoutMs = options.openTimeoutMs ?? 10_000
    this.#closeTimeoutMs = options.closeTimeoutMs ?? 2_000
    this.#redeclareTimer = setInterval(() => void this.#redeclare(), options.redeclareMs ?? 30_000)
    this.#redeclareTimer.unref()
    this.#unwatch = options.connection.watch({
      up: () => {
        this.#failures = 0
        void this.#tryOpen()
      },
    })
  }

  current(): C | undefined {
    return this.#channel
  }

  /** Why there is no channel; undefined when there is one. */
  missingBecause(): string | undefined {
    return this.#channel === undefined ? this.#reason : undefined
  }

  /** Gives up the present channel, or the one being prepared, and opens another. */
  rebuild(why: string): void {
    if (this.#opening !== undefined) this.#opening.spoiled ??= why
    const old = this.#channel
    this.#drop(why)
    this.#abandon(old)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#opening !== undefined) this.#opening.spoiled ??= 'closed'
    this.#unwatch()
    clearTimeout(this.#retryTimer)
    clearInterval(this.#redeclareTimer)
    const old = this.#channel
    this.#channel = undefined
    if (old === undefined) return
    try {
      await within(this.#closeTimeoutMs, 'closing a channel', old.close())
    } catch (error) {
      this.#options.log.debug({ err: error }, 'the channel was closed already')
    }
  }

  async #tryOpen(): Promise<void> {
    const { log } = this.#options
    if (this.#closed || this.#opening !== undefined || this.#channel !== undefined || !this.#connected()) return
    const candidate: Candidate<C> = { channel: undefined, spoiled: undefined }
    this.#opening = candidate
    try {
      const fresh = await within(this.#openTimeoutMs, 'opening a channel', this.#prepare(candidate))
      // A close in the same packet as the last answer comes before this line.
      if (candidate.spoiled !== undefined) throw new Error(candidate.spoiled)
      this.#channel = fresh
      this.#openedAt = Date.now()
      if (this.#failures > 0) log.info('the channel is back')
    } catch (error) {
      candidate.spoiled ??= 'given up'
      this.#abandon(candidate.channel)
      this.#failed(error)
    } finally {
      this.#opening = undefined
    }
  }

  async #prepare(candidate: Candidate<C>): Promise<C> {
    const fresh = await this.#options.open()
    candidate.channel = fresh
    listen(fresh, this.#options.log)
    fresh.on('close', () => {
      if (fresh === this.#channel) this.#drop('the broker closed the channel')
      else candidate.spoiled ??= 'the broker closed the channel while it was prepared'
    })
    if (candidate.spoiled === undefined) await declareTopology(fresh, this.#options.topology)
    if (candidate.spoiled === undefined) await this.#options.opened(fresh)
    if (candidate.spoiled === undefined) return fresh
    this.#abandon(fresh)
    throw new Error(candidate.spoiled)
  }

  #failed(error: unknown): void {
    if (this.#closed) return
    this.#failures += 1
    const message = error instanceof Error ? error.message : String(error)
    if (message !== this.#reason) this.#options.log.warn({ err: error }, 'no channel could be opened')
    this.#reason = message
    this.#schedule()
  }

  #schedule(): void {
    if (this.#closed || this.#retryTimer !== undefined) return
    const waitMs = this.#failures === 0 ? 0 : Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(this.#failures, 10))
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined
      void this.#tryOpen()
    }, waitMs)
  }

  #drop(why: string): void {
    if (this.#channel === undefined) return
    this.#channel = undefined
    this.#failures = Date.now() - this.#openedAt < livedWellMs ? this.#failures + 1 : 0
    this.#reason = why
    if (!this.#closed) this.#options.log.warn({ why }, 'the channel is lost')
    this.#options.lost()
    this.#schedule()
  }

  #abandon(old: C | undefined): void {
    if (old === undefined) return
    const closing = within(this.#closeTimeoutMs, 'closing a channel', old.close())
    // A channel that refuses to close is closed already, or goes with its connection; either is what we want.
    closing.catch((error) => this.#options.log.debug({ err: error }, 'closing an abandoned channel'))
  }

  async #redeclare(): Promise<void> {
    const { connection, topology, log } = this.#options
    const present = this.#channel
    if (present === undefined || connection.blocked()) return
    try {
      await within(this.#openTimeoutMs, 'declaring the topology', declareTopology(present, topology))
    } catch (error) {
      // A refusal has closed the channel, which is then opened anew; after a time-out the next round tries again.
      log.warn({ err: error }, 'the topology could not be declared again')
    }
  }

  #connected(): boolean {
    return this.#options.connection.ready().ready || this.#options.connection.blocked()
  }
}

/** Without an `error` listener an error ends the process; without `handler-error` a throw in a listener ends the connection. */
function listen(channel: Channel, log: Logger): void {
  channel.on('error', (error: Error) => log.warn({ err: error }, 'the broker closed the channel'))
  channel.on('handler-error', (error: Error, event: string) => log.error({ err: error, event }, 'a listener threw'))
}
