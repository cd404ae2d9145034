import { createPause, within } from '@payments/chassis/base/deadline'
import type { SqlTx } from '@payments/chassis/database/transaction'
import type { Registry } from 'prom-client'
import type { BrokerConnection } from '../broker/connection.ts'
import { EventPublisher, type EventPublisherOptions } from './event-publisher.ts'
import { type EventReceiver, HandedOverEvents } from './hand-over.ts'
import { OutboxClaims } from './outbox-claims.ts'
import { OutboxRecords } from './outbox-records.ts'
import { type Lag, readLag, relayMetrics } from './relay-metrics.ts'
import { RetainedEvents } from './retained-events.ts'

export interface RelayOptions extends Pick<EventPublisherOptions, 'publisher' | 'exchange' | 'producer' | 'log'> {
  /** Statements over all tenants. */
  readonly db: SqlTx
  /** The connection of the publisher. */
  readonly connection: BrokerConnection
  /** The name of the marker queue of this outbox (retained-events.ts). */
  readonly markerQueue: string
  readonly metrics: Registry
  readonly batchMax?: number
  /** Maximum of handed-over events in memory, a quarter of them for one tenant. */
  readonly heldMax?: number
  /**
   * Longer than the time-out of the publisher; otherwise two relays publish the same events while the broker is slow.
   * Equal for all relays of an outbox.
   */
  readonly leaseMs?: number
  readonly returnedRetryMs?: number
  readonly stopTimeoutMs?: number
  readonly pollMinMs?: number
  /** While events wait in the outbox, or the broker is away. */
  readonly pollMaxMs?: number
  /** While the outbox is empty. Not longer than the lease. */
  readonly restMaxMs?: number
  readonly retryMaxMs?: number
  /** How long published events are retained. */
  readonly retentionMs?: number
  readonly maintainEveryMs?: number
  readonly maintainRowsMax?: number
}

/** That of the confirm window of the publisher. */
const heldBytesMax = 16 * 1024 * 1024

/**
 * more: the next claim may find events at once · none: all events of the outbox are leased, or the broker is away ·
 * empty: the outbox has no unpublished event · failed: the broker or the database failed.
 */
type BatchResult = 'more' | 'some' | 'none' | 'empty' | 'failed'

/**
 * **What it does.** Publishes the events of the outbox, until `stop` (README.md has the states).
 *
 * **Participants.** Verbs write events, leased to the relay of their process, and hand them over after the commit
 * (hand-over.ts). Relays of replicas share one outbox: each claims events without a lease (outbox-claims.ts),
 * sends events (event-publisher.ts), and marks the confirmed (outbox-records.ts).
 *
 * **Guarantees.**
 * - An event of a committed transaction is published at least once; one of a rolled-back transaction never. A crash
 *   repeats events and loses none.
 * - No row lock and no transaction is held while the relay waits for the broker.
 * - An event that no queue takes stays in the outbox, and is retried every `returnedRetryMs`.
 *
 * **Not guaranteed.** Order, or exactly once. Receivers deduplicate by id.
 */
export class Relay {
  readonly #options: RelayOptions
  readonly #retained: RetainedEvents
  readonly #claims: OutboxClaims
  readonly #events: EventPublisher
  readonly #records: OutboxRecords
  readonly #handedOver: HandedOverEvents
  readonly #pause = createPause()
  readonly #running: Promise<void>
  #stopping = false
  #failing = false

  constructor(options: RelayOptions) {
    this.#options = options
    const { db, batchMax = 500, leaseMs = 10_000, returnedRetryMs = 1_000 } = options
    const metrics = relayMetrics(options.metrics, () => this.lag())
    const { restored } = metrics
    this.#retained = new RetainedEvents({ ...options, leaseMs, restored, connected: () => this.wake() })
    this.#claims = new OutboxClaims({ db, batchMax, leaseMs })
    this.#events = new EventPublisher({ ...options, metrics })
    this.#records = new OutboxRecords({ db, leaseMs, returnedRetryMs })
    this.#handedOver = new HandedOverEvents({
      publisher: options.publisher,
      retained: this.#retained,
      events: this.#events,
      records: this.#records,
      leaseMs,
      eventsMax: options.heldMax ?? 2_000,
      bytesMax: heldBytesMax,
      wake: () => this.wake(),
      failed: (error) => this.#warnOnce(error),
    })
    this.#running = this.#run()
  }

  /** Takes the events of the transactions of this process. */
  get receiver(): EventReceiver {
    return this.#handedOver
  }

  /** Claims at once. */
  wake(): void {
    this.#pause.wake()
  }

  /** Claims no further batch, and waits for the events in memory. The next start publishes the remaining events. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#retained.stop()
    this.#pause.wake()
    const ended = Promise.all([this.#running, this.#handedOver.stop()])
    await within(this.#options.stopTimeoutMs ?? 15_000, 'the last events of the relay', ended)
  }

  async lag(): Promise<Lag> {
    await this.#records.flush()
    return readLag(this.#options.db)
  }

  /**
   * Waits that nothing wakes double. So an event of a killed process is published at most `pollMaxMs` after its lease,
   * and an event without a lease within `restMaxMs`.
   */
  async #run(): Promise<void> {
    const { pollMinMs = 5, pollMaxMs = 1_000, restMaxMs = 10_000, retryMaxMs = 5_000 } = this.#options
    const maxMs = { more: pollMinMs, some: pollMinMs, none: pollMaxMs, empty: restMaxMs, failed: retryMaxMs }
    let isWoken = true
    let waitMs = pollMinMs
    let hasFailed = false
    while (!this.#stopping) {
      const result = await this.#attempt(isWoken)
      const isSame = hasFailed === (result === 'failed')
      waitMs = Math.min(maxMs[result], isSame ? waitMs * 2 : pollMinMs)
      hasFailed = result === 'failed'
      isWoken = result === 'more' || (await this.#pause.wait(waitMs))
    }
  }

  async #attempt(isWoken: boolean): Promise<BatchResult> {
    const { log, publisher } = this.#options
    // Connection and channel log the reason. A claim now would only load the database.
    if (!publisher.ready().ready) return 'none'
    try {
      await this.#retained.maintain()
      const isEmpty = !isWoken && (await this.#claims.isEmpty())
      if (isEmpty) this.#handedOver.outboxIsEmpty()
      const result = isEmpty ? 'empty' : await this.#runBatch()
      if (this.#failing) log.info('the relay publishes again')
      this.#failing = false
      return result
    } catch (error) {
      this.#warnOnce(error)
      return 'failed'
    }
  }

  async #runBatch(): Promise<BatchResult> {
    const { rows, mayBeMore } = await this.#claims.next()
    const sending = rows.map(async (row) => ({ row, result: await this.#events.send(row) }))
    if (!mayBeMore) this.#handedOver.outboxIsEmpty()
    const sent = await Promise.all(sending)
    const written = Promise.all(sent.map(({ row, result }) => this.#records.record(row, result)))
    await Promise.all([written, this.#records.flush()])
    for (const { result } of sent) if (result.outcome === 'failed') throw result.error
    return mayBeMore ? 'more' : rows.length === 0 ? 'none' : 'some'
  }

  /** The events stay in the outbox, and a later batch publishes them. */
  #warnOnce(error: unknown): void {
    if (!this.#failing) this.#options.log.warn({ err: error }, 'the relay cannot publish; events wait in the outbox')
    this.#failing = true
  }
}
