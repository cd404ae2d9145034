import { within } from '@payments/chassis/deadline'
import type { SqlTx } from '@payments/chassis/transaction'
import type { ConfirmChannel } from 'amqplib'
import type { Logger } from 'pino'
import type { BrokerConnection } from './connection.ts'
import { declareTopology, topicExchange, witnessTopology } from './topology.ts'

export interface RetainedEventsOptions {
  readonly db: SqlTx
  /** The publisher's. */
  readonly connection: BrokerConnection
  /** The name of the queue that tells a broker which remembers from one which does not. All relays of an outbox share it. */
  readonly witness: string
  readonly log: Logger
  readonly restored: (count: number) => void
  /** How long the relays of this outbox, all of them, lease what they claim. */
  readonly leaseMs: number
  readonly keepMs?: number
  readonly tendEveryMs?: number
  readonly tendRowsMax?: number
  readonly askTimeoutMs?: number
}

/** Longer than a dispatcher is down unnoticed: it bounds how long an event may lie in the broker and still survive it. */
const keepMsDefault = 24 * 60 * 60 * 1000

/** A lease that ran out this long ago is nobody's any more: whoever held it has marked its events, or never will. */
const leaseGraceMs = 60_000

const revokeSql = `
  UPDATE outbox_events SET leased_until = NULL
  WHERE published_at IS NULL AND leased_until > clock_timestamp() - $1::int * interval '1 millisecond'
    AND leased_until - $2::int * interval '1 millisecond' < $3::timestamptz`

const restoreSql = `
  UPDATE outbox_events SET published_at = NULL, leased_until = NULL WHERE id IN (
    SELECT id FROM outbox_events WHERE published_at < $1::timestamptz ORDER BY published_at, sequence LIMIT $2::int FOR UPDATE)`

const purgeSql = `
  DELETE FROM outbox_events WHERE id IN (
    SELECT id FROM outbox_events WHERE published_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
    ORDER BY published_at LIMIT $2::int FOR UPDATE SKIP LOCKED)`

/**
 * What the broker confirmed stays in the outbox for a day: a broker that loses its disk forgets what nobody had consumed yet.
 *
 * People: the relay marks an event as published at the instant it claimed it. The witness is a queue that nobody consumes; it
 * goes when everything else on the broker goes. Before the relay claims, once per connection and then every minute, `tend` asks
 * for it. Where it is missing, all that was published becomes unpublished, and once that is committed the witness is declared;
 * where it is there, what was published longer ago than `keepMs` is deleted, some thousand rows at a time.
 *
 * Guarantees: an event that the broker confirmed and lost is published again, with the same id. A crash anywhere repeats the
 * above. Nothing is deleted while the broker is away, however long that is. Ten relays that find the witness missing together
 * restore each event once: none claims before it has asked, and each restores, and revokes, only what was claimed before it
 * asked, so not what another one claimed after it declared the witness. A relay that learns of a confirm late, from the broker
 * that is gone, finds its lease revoked, and its events stay unpublished.
 * Not promised: that only what was lost comes again. All that is kept does; receivers deduplicate by id, as ever. An event
 * that lay in the broker for longer than `keepMs` before that lost it is lost. Nor is a single queue that somebody deletes
 * noticed: deleting the witness as well is how an operator has everything published again.
 */
export class RetainedEvents {
  readonly #options: RetainedEventsOptions
  readonly #unwatch: () => void
  /** The present connection may lead to another broker than the last one did. */
  #unsure = true
  #nextAt = 0
  #stopping = false

  constructor(options: RetainedEventsOptions) {
    this.#options = options
    this.#unwatch = options.connection.watch({
      up: () => {
        this.#unsure = true
      },
    })
  }

  /** Does what is due. Rejects where it could not: nothing must be claimed then. */
  async tend(): Promise<void> {
    const { db, tendEveryMs = 60_000, tendRowsMax = 5_000, keepMs = keepMsDefault } = this.#options
    if (!this.#unsure && Date.now() < this.#nextAt) return
    // Before it is asked: a connection that comes up meanwhile is asked by itself.
    this.#unsure = false
    try {
      const purged = (await this.#remembered()) ? await db.$executeRawUnsafe(purgeSql, keepMs, tendRowsMax) : 0
      this.#nextAt = purged < tendRowsMax ? Date.now() + tendEveryMs : 0
    } catch (error) {
      this.#unsure = true
      throw error
    }
  }

  /** A restoring that is under way ends after its present batch; the next start goes on. */
  stop(): void {
    this.#stopping = true
    this.#unwatch()
  }

  /** Whether the broker is the one that was published to. If not, it is made so. */
  async #remembered(): Promise<boolean> {
    const { db, log } = this.#options
    const [row] = await db.$queryRawUnsafe<[{ asked_at: string }]>('SELECT clock_timestamp()::text AS asked_at')
    if (await this.#isDeclared()) return true
    const count = await this.#restore(row.asked_at)
    if (this.#stopping) throw new Error('stopped while events were restored')
    await this.#onChannel((channel) => declareTopology(channel, witnessTopology(this.#options.witness)))
    if (count > 0) log.warn({ events: count }, 'the broker has forgotten what it was given: it is published again')
    return false
  }

  async #restore(askedAt: string): Promise<number> {
    const { db, leaseMs, restored, tendRowsMax = 5_000 } = this.#options
    await db.$executeRawUnsafe(revokeSql, leaseGraceMs, leaseMs, askedAt)
    let count = 0
    for (let last = tendRowsMax; last === tendRowsMax && !this.#stopping; count += last) {
      last = await db.$executeRawUnsafe(restoreSql, askedAt, tendRowsMax)
      restored(last)
    }
    return count
  }

  /**
   * Publishes a message that the broker must return where the queue is missing. A passive declaration would say the same, but the
   * broker logs an error for each that fails, on every first start. The queue takes one message and refuses the others: both tell
   * that it is there. Its exchange is its own, so that a service needs no right to publish to the queues of others.
   */
  async #isDeclared(): Promise<boolean> {
    const { witness } = this.#options
    let isReturned = false
    await this.#onChannel(async (channel) => {
      await declareTopology(channel, [topicExchange(witness)])
      channel.once('return', () => {
        isReturned = true
      })
      await new Promise<void>((resolve, reject) => {
        const settled = (error: Error | null) =>
          error === null || error.message === 'message nacked' ? resolve() : reject(error)
        channel.publish(witness, 'asked', Buffer.alloc(0), { mandatory: true, persistent: true }, settled)
      })
    })
    return !isReturned
  }

  #onChannel(work: (channel: ConfirmChannel) => Promise<unknown>): Promise<void> {
    const { connection, log, witness, askTimeoutMs = 10_000 } = this.#options
    const ask = async () => {
      const channel = await connection.openConfirmChannel()
      channel.on('error', (error: Error) => log.debug({ err: error }, 'the broker closed the channel of the witness'))
      try {
        await work(channel)
      } finally {
        await this.#close(channel)
      }
    }
    return within(askTimeoutMs, `asking the broker for ${witness}`, ask())
  }

  async #close(channel: ConfirmChannel): Promise<void> {
    try {
      await channel.close()
    } catch (error) {
      // One that refuses to close is closed already, or goes with its connection.
      this.#options.log.debug({ err: error }, 'closing the channel of the witness')
    }
  }
}
