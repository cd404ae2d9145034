import { within } from '@payments/chassis/base/deadline'
import type { SqlTx } from '@payments/chassis/database/transaction'
import type { ConfirmChannel } from 'amqplib'
import type { Logger } from 'pino'
import { withChannel } from '../broker/channel.ts'
import type { BrokerConnection } from '../broker/connection.ts'
import { declareTopology, markerTopology, topicExchange } from '../broker/topology.ts'

export interface RetainedEventsOptions {
  readonly db: SqlTx
  /** The connection of the publisher. */
  readonly connection: BrokerConnection
  /** The name of the marker queue. All relays of an outbox share it. */
  readonly markerQueue: string
  readonly log: Logger
  readonly restored: (count: number) => void
  /** A connection is up, and its broker must be checked. */
  readonly connected: () => void
  /** The lease of claimed events. Equal for all relays of the outbox. */
  readonly leaseMs: number
  readonly retentionMs?: number
  readonly maintainEveryMs?: number
  readonly maintainRowsMax?: number
}

/**
 * Longer than a dispatcher is down unnoticed. An event that stays in a broker for longer does not survive the loss of
 * that broker.
 */
const retentionMsDefault = 24 * 60 * 60 * 1000

const markerTimeoutMs = 10_000

/** After a lease has expired for this long, its relay has marked the events or will never mark them. */
const leaseGraceMs = 60_000

const revokeSql = `
  UPDATE outbox_events SET leased_until = NULL
  WHERE published_at IS NULL AND leased_until > clock_timestamp() - $1::int * interval '1 millisecond'
    AND leased_until - $2::int * interval '1 millisecond' < $3::timestamptz`

const restoreSql = `
  UPDATE outbox_events SET published_at = NULL, leased_until = NULL WHERE id = ANY (ARRAY(
    SELECT id FROM outbox_events WHERE published_at < $1::timestamptz ORDER BY published_at, sequence LIMIT $2::int FOR UPDATE))`

const purgeSql = `
  DELETE FROM outbox_events WHERE id = ANY (ARRAY(
    SELECT id FROM outbox_events WHERE published_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
    ORDER BY published_at LIMIT $2::int FOR UPDATE SKIP LOCKED))`

/**
 * **What it does.** Retains published events in the outbox for a day. If a broker loses its disk, the events that it
 * had confirmed are published again.
 *
 * **Guarantees.** A lost event is published again, with the same id, once by several relays (proof in README.md).
 * Nothing is deleted while the broker is unreachable.
 *
 * **Not guaranteed.** An event that stayed in the lost broker for longer than `retentionMs`. Detection of a single
 * deleted queue.
 */
export class RetainedEvents {
  readonly #options: RetainedEventsOptions
  readonly #unwatch: () => void
  /** Whether the connection is new, and may lead to another broker than before. */
  #isUnchecked = true
  #isChecking = false
  #checks = 0
  #nextAt = 0
  #stopping = false

  constructor(options: RetainedEventsOptions) {
    this.#options = options
    this.#unwatch = options.connection.watch({
      up: () => {
        this.#isUnchecked = true
        options.connected()
      },
    })
  }

  /**
   * Identifies the last check, which found the data of the broker or restored them. Undefined before the check of a
   * connection, and during each check: nothing may be claimed then.
   */
  get check(): number | undefined {
    return this.#isUnchecked || this.#isChecking ? undefined : this.#checks
  }

  /** Does the maintenance that is due. Rejects on failure; the relay must not claim then. */
  async maintain(): Promise<void> {
    const { db, maintainEveryMs = 60_000, maintainRowsMax = 5_000, retentionMs = retentionMsDefault } = this.#options
    if (!this.#isUnchecked && Date.now() < this.#nextAt) return
    // Set before the check, so that a connection that comes up meanwhile is checked too.
    this.#isUnchecked = false
    try {
      const purged = (await this.#checkData()) ? await db.$executeRawUnsafe(purgeSql, retentionMs, maintainRowsMax) : 0
      this.#nextAt = purged < maintainRowsMax ? Date.now() + maintainEveryMs : 0
    } catch (error) {
      this.#isUnchecked = true
      throw error
    }
  }

  /** A running restore ends after its current batch. The next start continues it. */
  stop(): void {
    this.#stopping = true
    this.#unwatch()
  }

  /** After a failure the next check follows, and `check` stays undefined until then. */
  async #checkData(): Promise<boolean> {
    this.#isChecking = true
    this.#checks += 1
    const hasData = await this.#hasData()
    this.#isChecking = false
    return hasData
  }

  /** Whether the broker still has its data. If not, restores the events and declares the marker queue. */
  async #hasData(): Promise<boolean> {
    const { db, log } = this.#options
    const [row] = await db.$queryRawUnsafe<[{ checked_at: string }]>('SELECT clock_timestamp()::text AS checked_at')
    if (await this.#isDeclared()) return true
    const count = await this.#restore(row.checked_at)
    if (this.#stopping) throw new Error('stopped while events were restored')
    await this.#onChannel((channel) => declareTopology(channel, markerTopology(this.#options.markerQueue)))
    if (count > 0) log.warn({ events: count }, 'the broker lost its data; retained events are published again')
    return false
  }

  async #restore(checkedAt: string): Promise<number> {
    const { db, leaseMs, restored, maintainRowsMax = 5_000 } = this.#options
    await db.$executeRawUnsafe(revokeSql, leaseGraceMs, leaseMs, checkedAt)
    let count = 0
    for (let last = maintainRowsMax; last === maintainRowsMax && !this.#stopping; count += last) {
      last = await db.$executeRawUnsafe(restoreSql, checkedAt, maintainRowsMax)
      restored(last)
    }
    return count
  }

  /**
   * Publishes a message that the broker must return if the queue is missing. A passive declaration would report the
   * same, but the broker logs an error for each failure, on every first start. The queue holds one message and rejects
   * others; confirm and nack both mean that the queue exists.
   */
  async #isDeclared(): Promise<boolean> {
    const { markerQueue } = this.#options
    let isReturned = false
    await this.#onChannel(async (channel) => {
      await declareTopology(channel, [topicExchange(markerQueue)])
      channel.once('return', () => {
        isReturned = true
      })
      await new Promise<void>((resolve, reject) => {
        const settled = (error: Error | null) =>
          error === null || error.message === 'message nacked' ? resolve() : reject(error)
        channel.publish(markerQueue, 'marker', Buffer.alloc(0), { mandatory: true, persistent: true }, settled)
      })
    })
    return !isReturned
  }

  #onChannel(work: (channel: ConfirmChannel) => Promise<void>): Promise<void> {
    const { connection, markerQueue } = this.#options
    const openChannel = () => connection.openConfirmChannel()
    return within(markerTimeoutMs, `checking the queue ${markerQueue}`, withChannel({ openChannel }, work))
  }
}
