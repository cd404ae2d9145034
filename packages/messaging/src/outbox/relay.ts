import { createPause, within } from '@payments/chassis/base/deadline'
import type { Registry } from 'prom-client'
import type { BrokerConnection } from '../broker/connection.ts'
import { type Lag, relayMetrics } from '../broker/metrics.ts'
import { EventPublisher, type EventPublisherOptions } from './event-publisher.ts'
import { OutboxClaims } from './outbox-claims.ts'
import { RetainedEvents } from './retained-events.ts'

export interface RelayOptions
  extends Pick<EventPublisherOptions, 'db' | 'publisher' | 'exchange' | 'producer' | 'log'> {
  /** The connection of the publisher. */
  readonly connection: BrokerConnection
  /** The name of the marker queue of this outbox (retained-events.ts). */
  readonly markerQueue: string
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

const lagSql = `
  SELECT (SELECT count(*)::int FROM (SELECT 1 FROM outbox_events WHERE published_at IS NULL LIMIT 10000) AS counted) AS pending,
    coalesce((SELECT extract(epoch FROM clock_timestamp() - occurred_at) * 1000 FROM outbox_events
      WHERE published_at IS NULL ORDER BY sequence LIMIT 1), 0)::int AS oldest_age_ms`

/** Starts to claim and publish; `stop` ends it. */
export function startRelay(options: RelayOptions): Relay {
  return new Relay(options)
}

/**
 * **What it does.** Publishes the events of the outbox (README.md has the states).
 *
 * **Participants.** Verbs write events with `emit` and wake the relay after the commit. Relays of all replicas share
 * one outbox: each claims a batch by a lease (outbox-claims.ts), publishes it, and marks the confirmed events
 * (event-publisher.ts).
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
  readonly #retained: RetainedEvents
  readonly #claims: OutboxClaims
  readonly #events: EventPublisher
  readonly #pause = createPause()
  readonly #batchListeners = new Set<() => void>()
  readonly #running: Promise<void>
  #stopping = false
  #failing = false

  constructor(options: RelayOptions) {
    this.#options = options
    const { db, batchMax = 500, leaseMs = 10_000, returnedRetryMs = 1_000 } = options
    const metrics = options.metrics === undefined ? undefined : relayMetrics(options.metrics, () => this.lag())
    this.#retained = new RetainedEvents({ ...options, leaseMs, restored: (count) => metrics?.restored(count) })
    this.#claims = new OutboxClaims({ db, batchMax, leaseMs })
    this.#events = new EventPublisher({ ...options, metrics, leaseMs, returnedRetryMs })
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
    const { rows, mayBeMore } = await this.#claims.next()
    const [first] = rows
    if (first === undefined) return mayBeMore ? 'more' : 'none'
    await this.#events.publish(rows, first.lease)
    return mayBeMore ? 'more' : 'some'
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
