import type { SqlTx } from '@payments/chassis/database/transaction'
import { tracing } from '@payments/chassis/observability/trace'
import { routingKeyOf } from '@payments/contracts/edges/event-routing'
import { type EventProducer, signEvent } from '@payments/contracts/edges/event-signature'
import type { Logger } from 'pino'
import { type OutboxRow, writeEventMessage } from '../broker/event-message.ts'
import { sendInSpan } from '../broker/message-spans.ts'
import type { RelayMetrics } from '../broker/metrics.ts'
import { PublishError } from '../broker/publication.ts'
import type { Publisher } from '../broker/publisher.ts'

export interface EventPublisherOptions {
  readonly db: SqlTx
  readonly publisher: Publisher
  /** The topic exchange. */
  readonly exchange: string
  /** Signs the events. */
  readonly producer: EventProducer
  readonly log: Logger
  readonly metrics: RelayMetrics | undefined
  readonly leaseMs: number
  readonly returnedRetryMs: number
}

/** An infinite lease keeps a relay of an earlier version, which ignores `published_at`, from claiming the event. */
const markSql = `
  UPDATE outbox_events SET published_at = leased_until - $3::int * interval '1 millisecond', leased_until = 'infinity'
  WHERE id IN (SELECT value::uuid FROM jsonb_array_elements_text($1::text::jsonb)) AND leased_until = $2::timestamptz`

const releaseSql = `
  UPDATE outbox_events SET leased_until = clock_timestamp() + $3::int * interval '1 millisecond'
  WHERE id IN (SELECT value::uuid FROM jsonb_array_elements_text($1::text::jsonb)) AND leased_until = $2::timestamptz`

/**
 * **What it does.** Publishes claimed events, and records in the outbox what the broker did with each.
 *
 * **Participants.** The relay, which claims; the publisher, which waits for confirms.
 *
 * **Guarantees.** A confirmed event is marked as published. An event that no queue takes is released after
 * `returnedRetryMs`, any other at once. The log has one line when no queue takes an event type, and one when a queue
 * takes it again.
 *
 * **Not guaranteed.** The records: a crash may lose each of them. Then the lease expires, and the events are published
 * again.
 */
export class EventPublisher {
  readonly #options: EventPublisherOptions
  /** Event types that no queue takes. */
  readonly #unroutable = new Set<string>()

  constructor(options: EventPublisherOptions) {
    this.#options = options
  }

  /** Publishes events of one lease. Throws the first failure other than an event that no queue takes. */
  async publish(rows: readonly OutboxRow[], lease: string): Promise<void> {
    const { db, metrics, leaseMs, returnedRetryMs } = this.#options
    const results = await Promise.allSettled(rows.map((row) => this.#send(row)))
    const { confirmed, returned, failed } = this.#sort(rows, results)
    if (confirmed.length > 0) await db.$executeRawUnsafe(markSql, JSON.stringify(confirmed), lease, leaseMs)
    if (returned.length > 0) await db.$executeRawUnsafe(releaseSql, JSON.stringify(returned), lease, returnedRetryMs)
    if (failed.length > 0) await db.$executeRawUnsafe(releaseSql, JSON.stringify(failed), lease, 0)
    metrics?.published(confirmed.length)
    const failure = results.find((result) => result.status === 'rejected' && !isReturned(result.reason))
    if (failure?.status === 'rejected') throw failure.reason
  }

  #sort(rows: readonly OutboxRow[], results: PromiseSettledResult<void>[]): SortedIds {
    const { log, metrics } = this.#options
    const sorted: SortedIds = { confirmed: [], returned: [], failed: [] }
    for (const [index, { id, type }] of rows.entries()) {
      const result = results[index]
      if (result?.status === 'fulfilled') {
        sorted.confirmed.push(id)
        if (this.#unroutable.delete(type)) log.info({ type }, 'a queue takes this event type again')
        continue
      }
      const reason: unknown = result?.reason
      metrics?.failed(reason instanceof PublishError ? reason.failure : 'error')
      if (!isReturned(reason)) {
        sorted.failed.push(id)
        continue
      }
      sorted.returned.push(id)
      if (this.#unroutable.has(type)) continue
      this.#unroutable.add(type)
      log.warn({ type }, 'no queue takes this event type; its events wait in the outbox')
    }
    return sorted
  }

  #send(row: OutboxRow): Promise<void> {
    const { exchange } = this.#options
    const routingKey = routingKeyOf(row.type, row.payload)
    if (tracing === undefined) return this.#sendWith(row, routingKey, undefined)
    const send = (traceparent: string) => this.#sendWith(row, routingKey, traceparent)
    return sendInSpan(tracing, { exchange, routingKey }, row, send)
  }

  #sendWith(row: OutboxRow, routingKey: string, traceparent: string | undefined): Promise<void> {
    const { publisher, exchange, producer } = this.#options
    const body = writeEventMessage(row)
    const trace = { 'trace-id': row.trace_id, ...(traceparent === undefined ? {} : { traceparent }) }
    const headers = { ...trace, ...signEvent(producer, { body, traceId: row.trace_id, traceparent }) }
    return publisher.publish({ exchange, routingKey, body, messageId: row.id, headers, mandatory: true })
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
