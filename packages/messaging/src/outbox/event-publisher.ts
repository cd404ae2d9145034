import { tracing } from '@payments/chassis/observability/trace'
import { buildRoutingKey } from '@payments/contracts/edges/event-routing'
import { type EventProducer, signEvent } from '@payments/contracts/edges/event-signature'
import type { Logger } from 'pino'
import { type OutboxRow, writeEventMessage } from '../broker/event-message.ts'
import { inMessageSpan } from '../broker/message-spans.ts'
import { PublishError } from '../broker/publication.ts'
import type { Publisher } from '../broker/publisher.ts'
import type { SendResult } from './outbox-records.ts'
import type { RelayMetrics } from './relay-metrics.ts'

export interface EventPublisherOptions {
  readonly publisher: Publisher
  /** The topic exchange. */
  readonly exchange: string
  /** Signs the events. */
  readonly producer: EventProducer
  readonly log: Logger
  readonly metrics: RelayMetrics
}

/**
 * **What it does.** Sends events to the exchange, each signed for its consumers, and reports what the broker did.
 *
 * **Guarantees.** Events are sent in the order of the calls. The log has one line when no queue takes an event type,
 * and one when a queue takes it again.
 */
export class EventPublisher {
  readonly #options: EventPublisherOptions
  /** Event types that no queue takes. */
  readonly #unroutable = new Set<string>()

  constructor(options: EventPublisherOptions) {
    this.#options = options
  }

  /** Resolves with the confirm, or with the failure. Never rejects. */
  async send(row: OutboxRow): Promise<SendResult> {
    const { metrics } = this.#options
    try {
      await this.#publish(row)
    } catch (error) {
      const failure = error instanceof PublishError ? error.failure : 'error'
      metrics.failed(failure)
      if (failure !== 'returned') return { outcome: 'failed', error }
      this.#noteReturned(row.type)
      return { outcome: 'returned' }
    }
    metrics.published()
    this.#noteConfirmed(row.type)
    return { outcome: 'confirmed' }
  }

  #noteConfirmed(type: string): void {
    if (this.#unroutable.delete(type)) this.#options.log.info({ type }, 'a queue takes this event type again')
  }

  #noteReturned(type: string): void {
    if (this.#unroutable.has(type)) return
    this.#unroutable.add(type)
    this.#options.log.warn({ type }, 'no queue takes this event type; its events wait in the outbox')
  }

  #publish(row: OutboxRow): Promise<void> {
    const { exchange } = this.#options
    const routingKey = buildRoutingKey(row.type, row.payload)
    if (tracing === undefined) return this.#sendWith(row, routingKey, undefined)
    const { id: messageId, trace_id: traceId, traceparent: parent, tenant_id: tenantId } = row
    const message = { destination: exchange, routingKey, messageId, traceId, parent, tenantId }
    return inMessageSpan(tracing, 'send', message, (traceparent) => this.#sendWith(row, routingKey, traceparent))
  }

  #sendWith(row: OutboxRow, routingKey: string, traceparent: string | undefined): Promise<void> {
    const { publisher, exchange, producer } = this.#options
    const body = writeEventMessage(row)
    const trace = { 'trace-id': row.trace_id, ...(traceparent === undefined ? {} : { traceparent }) }
    const headers = { ...trace, ...signEvent(producer, { body, traceId: row.trace_id, traceparent }) }
    return publisher.publish({ exchange, routingKey, body, messageId: row.id, headers })
  }
}
