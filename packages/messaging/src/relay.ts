import { createPause, within } from '@payments/chassis/deadline'
import type { SqlTx } from '@payments/chassis/transaction'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { BrokerConnection } from './connection.ts'
import { type OutboxRow, writeEventMessage } from './event-message.ts'
import { type Lag, type RelayMetrics, relayMetrics } from './metrics.ts'
import { PublishError, type Publisher } from './publisher.ts'
import { RetainedEvents } from './retained-events.ts'

export interface RelayOptions {
  readonly db: SqlTx
  readonly publisher: Publisher
  /** The publisher's. */
  readonly connection: BrokerConnection
  /** The topic exchange; the routing key is the event type. */
  readonly exchange: string
  /** The name of the outbox's witness on the broker (kept-events.ts). */
  readonly witness: string
  readonly log: Logger
  readonly metrics?: Registry
  readonly batchMax?: number
  /**
   * Longer than the publisher's time-out, or two relays publish the same events when the broker is slow; the same for all
   * relays of an outbox.
   */
  readonly leaseMs?: number
  readonly pollMinMs?: number
  readonly pollMaxMs?: number
  readonly retryMaxMs?: number
  readonly returnedRetryMs?: number
  readonly stopTimeoutMs?: number
  /** How long events are kept once they are published. */
  readonly keepMs?: number
  readonly tendEveryMs?: number
  readonly tendRowsMax?: number
}

/** One turn: full, some and none tell how much was claimed; failed, that broker or database did not do their part. */
type Turn = 'full' | 'some' | 'none' | 'failed'

const claimSql = `
  WITH due AS MATERIALIZED (
    SELECT id FROM outbox_events WHERE published_at IS NULL AND (leased_until IS NULL OR leased_until < statement_timestamp())
    ORDER BY sequence LIMIT $1::int FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE outbox_events SET leased_until = statement_timestamp() + $2::int * interval '1 millisecond'
    FROM due WHERE outbox_events.id = due.id RETURNING outbox_events.*
  )
  SELECT id::text, type, tenant_id::text, business_unit_id::text, trace_id::text, payload::text,
    leased_until::text AS lease, to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS occurred_at
  FROM claimed ORDER BY sequence`

/** A relay of an earlier version takes no notice of `published_at`, but lets events be that are leased for ever. */
const markSql = `
  UPDATE outbox_events SET published_at = leased_until - $3::int * interval '1 millisecond', leased_until = 'infinity'
  WHERE id IN (SELECT value::uuid FROM jsonb_array_elements_text($1::text::jsonb)) AND leased_until = $2::timestamptz`

const releaseSql = `
  UPDATE outbox_events SET leased_until = clock_timestamp() + $3::int * interval '1 millisecond'
  WHERE id IN (SELECT value::uuid FROM jsonb_array_elements_text($1::text::jsonb)) AND leased_until = $2::timestamptz`

const lagSql = `
  SELECT (SELECT count(*)::int FROM (SELECT 1 FROM outbox_events WHERE published_at IS NULL LIMIT 10000) AS counted) AS pending,
    coalesce((SELECT extract(epoch FROM clock_timestamp() - occurred_at) * 1000 FROM outbox_events
      WHERE published_at IS NULL ORDER BY sequence LIMIT 1), 0)::int AS oldest_age_ms`

/** Claims and publishes from now on, until it is stopped. */
export function startRelay(options: RelayOptions): Relay {
  return new Relay(options)
}

/**
 * Carries events from the outbox to the broker.
 *
 * People: a verb writes the event in its transaction (`emit`) and, once that is committed, may `kick`; the relay claims a batch
 * by a lease, publishes it, marks what the broker confirmed; any number of relays of a service share one outbox. What is marked
 * stays for a day, in case the broker loses it (kept-events.ts).
 *
 * Guarantees: an event of a committed transaction is published at least once, one of a rolled-back transaction never. A crash
 * at any point loses nothing: before the confirm the lease runs out and another turn publishes; between confirm and mark the
 * event is published again, with the same id. No row lock and no transaction is held while the broker is waited for.
 * Messages are published mandatory: an event that no queue takes yet (its consumer was never started) stays in the outbox and
 * is tried again every `returnedRetryMs`, behind events that do have takers.
 * Not promised: order, or "only once". Receivers deduplicate by id and order by what the payload carries.
 *
 * It polls, every 5 ms when there was something to do and less and less often down to every second when there was not: cheaper
 * than a NOTIFY in each business transaction, which takes a lock that all writers share. What this process commits is not kept
 * waiting for that, since it kicks; only what other processes leave to it is.
 */
export class Relay {
  readonly #options: RelayOptions
  readonly #leaseMs: number
  readonly #meters: RelayMetrics | undefined
  readonly #kept: RetainedEvents
  readonly #pause = createPause()
  readonly #turnEnds = new Set<() => void>()
  /** Event types that no queue takes. */
  readonly #homeless = new Set<string>()
  readonly #running: Promise<void>
  #stopping = false
  #failing = false

  constructor(options: RelayOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? 10_000
    this.#meters = options.metrics === undefined ? undefined : relayMetrics(options.metrics, () => this.lag())
    this.#kept = new RetainedEvents({
      ...options,
      leaseMs: this.#leaseMs,
      restored: (count) => this.#meters?.restored(count),
    })
    this.#running = this.#run()
  }

  /** There may be something new: look now. Call it after the commit. */
  kick(): void {
    this.#pause.wake()
  }

  /** Resolves when everything in the outbox is published; rejects when it is not within `timeoutMs`. */
  async drain(timeoutMs = 10_000): Promise<void> {
    const deadlineAt = Date.now() + timeoutMs
    while (await this.#anyLeft()) {
      const expired = Date.now() >= deadlineAt
      if (expired || this.#stopping) {
        const { pending } = await this.lag()
        const why = expired ? `after ${timeoutMs} ms` : 'of a relay that was stopped'
        throw new Error(`${pending} events are still in the outbox ${why}`)
      }
      await this.#turnEnd()
    }
  }

  /** Claims nothing more and waits for the turn in work. What is left, the next start publishes. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#kept.stop()
    this.#pause.wake()
    await within(this.#options.stopTimeoutMs ?? 15_000, 'the last turn of the relay', this.#running)
  }

  async lag(): Promise<Lag> {
    const [row] = await this.#options.db.$queryRawUnsafe<{ pending: number; oldest_age_ms: number }[]>(lagSql)
    return { pending: row?.pending ?? 0, oldestAgeMs: row?.oldest_age_ms ?? 0 }
  }

  async #anyLeft(): Promise<boolean> {
    const rows = await this.#options.db.$queryRawUnsafe<unknown[]>(
      'SELECT 1 FROM outbox_events WHERE published_at IS NULL LIMIT 1',
    )
    return rows.length > 0
  }

  async #run(): Promise<void> {
    const { pollMinMs = 5, pollMaxMs = 1_000, retryMaxMs = 5_000 } = this.#options
    let idleMs = pollMinMs
    let retryMs = pollMinMs
    while (!this.#stopping) {
      const turn = await this.#attempt()
      for (const ended of this.#turnEnds) ended()
      idleMs = turn === 'none' ? Math.min(pollMaxMs, idleMs * 2) : pollMinMs
      retryMs = turn === 'failed' ? Math.min(retryMaxMs, retryMs * 2) : pollMinMs
      if (turn !== 'full') await this.#pause.wait(turn === 'failed' ? retryMs : idleMs)
    }
  }

  async #attempt(): Promise<Turn> {
    const { log, publisher } = this.#options
    // Connection and channel tell the log why. Claiming now would only burden the database.
    if (!publisher.ready().ready) return 'none'
    try {
      await this.#kept.tend()
      const turn = await this.#takeTurn()
      if (this.#failing) log.info('the relay publishes again')
      this.#failing = false
      return turn
    } catch (error) {
      // Whatever it was, the events are in the outbox and the next turn tries again.
      if (!this.#failing) log.warn({ err: error }, 'the relay cannot publish; events wait in the outbox')
      this.#failing = true
      return 'failed'
    }
  }

  async #takeTurn(): Promise<Turn> {
    const { db, batchMax = 500, returnedRetryMs = 1_000 } = this.#options
    const rows = await db.$queryRawUnsafe<OutboxRow[]>(claimSql, batchMax, this.#leaseMs)
    const [first] = rows
    if (first === undefined) return 'none'
    const { lease } = first
    const results = await Promise.allSettled(rows.map((row) => this.#publish(row)))
    const { confirmed, returned, failed } = this.#sort(rows, results)
    // Each of these may be lost in a crash: the lease runs out, and the events are published once more.
    if (confirmed.length > 0) await db.$executeRawUnsafe(markSql, JSON.stringify(confirmed), lease, this.#leaseMs)
    if (returned.length > 0) await db.$executeRawUnsafe(releaseSql, JSON.stringify(returned), lease, returnedRetryMs)
    if (failed.length > 0) await db.$executeRawUnsafe(releaseSql, JSON.stringify(failed), lease, 0)
    this.#meters?.published(confirmed.length)
    const refusal = results.find((result) => result.status === 'rejected' && !isReturned(result.reason))
    if (refusal?.status === 'rejected') throw refusal.reason
    return rows.length >= batchMax ? 'full' : 'some'
  }

  #sort(rows: OutboxRow[], results: PromiseSettledResult<void>[]): Sorted {
    const sorted: Sorted = { confirmed: [], returned: [], failed: [] }
    for (const [index, { id, type }] of rows.entries()) {
      const result = results[index]
      if (result?.status === 'fulfilled') {
        sorted.confirmed.push(id)
        if (this.#homeless.delete(type)) this.#options.log.info({ type }, 'a queue takes this event type again')
        continue
      }
      const reason: unknown = result?.reason
      this.#meters?.failed(reason instanceof PublishError ? reason.failure : 'error')
      if (!isReturned(reason)) {
        sorted.failed.push(id)
        continue
      }
      sorted.returned.push(id)
      if (this.#homeless.has(type)) continue
      this.#homeless.add(type)
      this.#options.log.warn({ type }, 'no queue takes this event type; its events wait in the outbox')
    }
    return sorted
  }

  #publish(row: OutboxRow): Promise<void> {
    return this.#options.publisher.publish({
      exchange: this.#options.exchange,
      routingKey: row.type,
      body: writeEventMessage(row),
      messageId: row.id,
      headers: { 'trace-id': row.trace_id },
      mandatory: true,
    })
  }

  /** The end of the present or the next turn, or 100 ms. */
  async #turnEnd(): Promise<void> {
    await new Promise<void>((resolve) => {
      const ended = () => {
        clearTimeout(timer)
        this.#turnEnds.delete(ended)
        resolve()
      }
      const timer = setTimeout(ended, 100)
      this.#turnEnds.add(ended)
      this.#pause.wake()
    })
  }
}

/** Ids by what became of their events. */
interface Sorted {
  readonly confirmed: string[]
  readonly returned: string[]
  readonly failed: string[]
}

function isReturned(reason: unknown): boolean {
  return reason instanceof PublishError && reason.failure === 'returned'
}
