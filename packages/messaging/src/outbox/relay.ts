import { createPause, within } from '@payments/chassis/base/deadline'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { tracing } from '@payments/chassis/observability/trace'
import { routingKeyOf } from '@payments/contracts/edges/event-routing'
import { type EventProducer, signEvent } from '@payments/contracts/edges/event-signature'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { BrokerConnection } from '../broker/connection.ts'
import { type OutboxRow, writeEventMessage } from '../broker/event-message.ts'
import { sendInSpan } from '../broker/message-spans.ts'
import { type Lag, type RelayMetrics, relayMetrics } from '../broker/metrics.ts'
import { PublishError, type Publisher } from '../broker/publisher.ts'
import { OutboxClaims } from './outbox-claims.ts'
import { RetainedEvents } from './retained-events.ts'

export interface RelayOptions {
  readonly db: SqlTx
  readonly publisher: Publisher
  /** The connection of the publisher. */
  readonly connection: BrokerConnection
  /** The topic exchange. */
  readonly exchange: string
  /** Signs the events. */
  readonly producer: EventProducer
  /** The name of the marker queue of this outbox (retained-events.ts). */
  readonly markerQueue: string
  readonly log: Logger
  readonly metrics?: Registry
  readonly batchMax?: number
  /**
   * Longer than the time-out of the publisher; otherwise two relays publish the same events while the broker is slow.
   * Equal for all relays of an outbox.
   */
  readonly leaseMs?: number
  readonly pollMinMs?: number
  readonly pollMaxMs?: number
  readonly retryMaxMs?: number
  readonly returnedRetryMs?: number
  readonly stopTimeoutMs?: number
  /** How long published events are retained. */
  readonly retentionMs?: number
  readonly maintainEveryMs?: number
  readonly maintainRowsMax?: number
}

/** more: the next claim may find events at once · failed: the broker or the database failed. */
type BatchResult = 'more' | 'some' | 'none' | 'failed'

/** An infinite lease keeps a relay of an earlier version, which ignores `published_at`, from claiming the event. */
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

/** Starts to claim and publish; `stop` ends it. */
export function startRelay(options: RelayOptions): Relay {
  return new Relay(options)
}

/**
 * **What it does.** Publishes the events of the outbox. The relay claims a batch by a lease, publishes it, and marks
 * the events that the broker confirmed (README.md has the states).
 *
 * **Participants.** Verbs write events with `emit` and wake the relay after the commit. Relays of all replicas share
 * one outbox (outbox-claims.ts).
 *
 * **Guarantees.**
 * - An event of a committed transaction is published at least once; one of a rolled-back transaction never. A crash
 *   repeats events and loses none.
 * - No row lock and no transaction is held while the relay waits for the broker.
 * - An event that no queue takes stays in the outbox and is retried every `returnedRetryMs`, behind routable events.
 *
 * **Not guaranteed.** Order, or exactly once. Receivers deduplicate by id.
 */
export class Relay {
  readonly #options: RelayOptions
  readonly #leaseMs: number
  readonly #metrics: RelayMetrics | undefined
  readonly #retained: RetainedEvents
  readonly #claims: OutboxClaims
  readonly #pause = createPause()
  readonly #batchListeners = new Set<() => void>()
  /** Event types that no queue takes. */
  readonly #unroutable = new Set<string>()
  readonly #running: Promise<void>
  #stopping = false
  #failing = false

  constructor(options: RelayOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? 10_000
    this.#metrics = options.metrics === undefined ? undefined : relayMetrics(options.metrics, () => this.lag())
    this.#retained = new RetainedEvents({
      ...options,
      leaseMs: this.#leaseMs,
      restored: (count) => this.#metrics?.restored(count),
    })
    this.#claims = new OutboxClaims({ db: options.db, batchMax: options.batchMax ?? 500, leaseMs: this.#leaseMs })
    this.#running = this.#run()
  }

  /** Claims at once. Call it after a commit. */
  wake(): void {
    this.#pause.wake()
  }

  /** Resolves when every event of the outbox is published. Rejects after `timeoutMs`. */
  async drain(timeoutMs = 10_000): Promise<void> {
    const deadlineAt = Date.now() + timeoutMs
    while (await this.#anyLeft()) {
      const expired = Date.now() >= deadlineAt
      if (expired || this.#stopping) {
        const { pending } = await this.lag()
        const why = expired ? `after ${timeoutMs} ms` : 'because the relay stopped'
        throw new Error(`${pending} events are still unpublished ${why}`)
      }
      await this.#batchEnd()
    }
  }

  /** Claims no further batch and waits for the current one. The next start publishes the remaining events. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#retained.stop()
    this.#pause.wake()
    await within(this.#options.stopTimeoutMs ?? 15_000, 'the last batch of the relay', this.#running)
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
      const result = await this.#attempt()
      for (const ended of this.#batchListeners) ended()
      idleMs = result === 'none' ? Math.min(pollMaxMs, idleMs * 2) : pollMinMs
      retryMs = result === 'failed' ? Math.min(retryMaxMs, retryMs * 2) : pollMinMs
      if (result !== 'more') await this.#pause.wait(result === 'failed' ? retryMs : idleMs)
    }
  }

  async #attempt(): Promise<BatchResult> {
    const { log, publisher } = this.#options
    // Connection and channel log the reason. A claim now would only load the database.
    if (!publisher.ready().ready) return 'none'
    try {
      await this.#retained.maintain()
      const result = await this.#runBatch()
      if (this.#failing) log.info('the relay publishes again')
      this.#failing = false
      return result
    } catch (error) {
      // The events stay in the outbox, and the next batch publishes them.
      if (!this.#failing) log.warn({ err: error }, 'the relay cannot publish; events wait in the outbox')
      this.#failing = true
      return 'failed'
    }
  }

  async #runBatch(): Promise<BatchResult> {
    const { db, returnedRetryMs = 1_000 } = this.#options
    const { rows, mayBeMore } = await this.#claims.next()
    const [first] = rows
    if (first === undefined) return mayBeMore ? 'more' : 'none'
    const { lease } = first
    const results = await Promise.allSettled(rows.map((row) => this.#publish(row)))
    const { confirmed, returned, failed } = this.#sort(rows, results)
    // A crash may lose each of these updates. Then the lease expires, and the events are published again.
    if (confirmed.length > 0) await db.$executeRawUnsafe(markSql, JSON.stringify(confirmed), lease, this.#leaseMs)
    if (returned.length > 0) await db.$executeRawUnsafe(releaseSql, JSON.stringify(returned), lease, returnedRetryMs)
    if (failed.length > 0) await db.$executeRawUnsafe(releaseSql, JSON.stringify(failed), lease, 0)
    this.#metrics?.published(confirmed.length)
    const failure = results.find((result) => result.status === 'rejected' && !isReturned(result.reason))
    if (failure?.status === 'rejected') throw failure.reason
    return mayBeMore ? 'more' : 'some'
  }

  #sort(rows: readonly OutboxRow[], results: PromiseSettledResult<void>[]): SortedIds {
    const sorted: SortedIds = { confirmed: [], returned: [], failed: [] }
    for (const [index, { id, type }] of rows.entries()) {
      const result = results[index]
      if (result?.status === 'fulfilled') {
        sorted.confirmed.push(id)
        if (this.#unroutable.delete(type)) this.#options.log.info({ type }, 'a queue takes this event type again')
        continue
      }
      const reason: unknown = result?.reason
      this.#metrics?.failed(reason instanceof PublishError ? reason.failure : 'error')
      if (!isReturned(reason)) {
        sorted.failed.push(id)
        continue
      }
      sorted.returned.push(id)
      if (this.#unroutable.has(type)) continue
      this.#unroutable.add(type)
      this.#options.log.warn({ type }, 'no queue takes this event type; its events wait in the outbox')
    }
    return sorted
  }

  #publish(row: OutboxRow): Promise<void> {
    const { exchange } = this.#options
    const routingKey = routingKeyOf(row.type, row.payload)
    if (tracing === undefined) return this.#publishWith(row, routingKey, undefined)
    const send = (traceparent: string) => this.#publishWith(row, routingKey, traceparent)
    return sendInSpan(tracing, { exchange, routingKey }, row, send)
  }

  #publishWith(row: OutboxRow, routingKey: string, traceparent: string | undefined): Promise<void> {
    const { publisher, exchange, producer } = this.#options
    const body = writeEventMessage(row)
    const trace = { 'trace-id': row.trace_id, ...(traceparent === undefined ? {} : { traceparent }) }
    const headers = { ...trace, ...signEvent(producer, { body, traceId: row.trace_id, traceparent }) }
    return publisher.publish({ exchange, routingKey, body, messageId: row.id, headers, mandatory: true })
  }

  /** Resolves at the end of the current or next batch, or after 100 ms. */
  async #batchEnd(): Promise<void> {
    await new Promise<void>((resolve) => {
      const ended = () => {
        clearTimeout(timer)
        this.#batchListeners.delete(ended)
        resolve()
      }
      const timer = setTimeout(ended, 100)
      this.#batchListeners.add(ended)
      this.#pause.wake()
    })
  }
}

/** Ids of events by the result of publishing. */
interface SortedIds {
  readonly confirmed: string[]
  readonly returned: string[]
  readonly failed: string[]
}

function isReturned(reason: unknown): boolean {
  return reason instanceof PublishError && reason.failure === 'returned'
}
