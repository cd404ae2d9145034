import type { Tracing } from '@payments/chassis/observability/span'
import { Problem } from '@payments/contracts/grammar/problem'
import type { OutboxRow } from './event-message.ts'
import { PublishError } from './publication.ts'

/** Names of the semantic conventions for messaging. */
const system = { 'messaging.system': 'rabbitmq' } as const

/** Publishes an event within a span, a child of the span that emitted the event. `publish` gets the `traceparent`. */
export async function sendInSpan(
  { start }: Tracing,
  { exchange, routingKey }: { readonly exchange: string; readonly routingKey: string },
  row: OutboxRow,
  publish: (traceparent: string) => Promise<void>,
): Promise<void> {
  const span = start(`send ${exchange}`, {
    kind: 'producer',
    traceId: row.trace_id,
    parent: row.traceparent,
    attributes: {
      ...system,
      'messaging.operation.type': 'send',
      'messaging.operation.name': 'send',
      'messaging.destination.name': exchange,
      'messaging.rabbitmq.destination.routing_key': routingKey,
      'messaging.message.id': row.id,
      'payments.tenant.id': row.tenant_id,
    },
  })
  try {
    await publish(span.traceparent)
    span.end()
  } catch (error) {
    span.end({}, error instanceof PublishError ? error.failure : 'error')
    throw error
  }
}

interface ReceivedMessage {
  readonly headers: Readonly<Record<string, unknown>>
  readonly routingKey: string
  readonly messageId: string | undefined
}

/**
 * Does the work of a message within a span, a child of the span that published the message. A message without a
 * `traceparent`, such as a message of a retry queue, has no span.
 */
export async function processInSpan(
  { start, run }: Tracing,
  queue: string,
  { headers, routingKey, messageId }: ReceivedMessage,
  work: () => Promise<void>,
): Promise<void> {
  const { traceparent: parent, 'trace-id': traceId } = headers
  if (typeof parent !== 'string' || typeof traceId !== 'string') return work()
  const span = start(`process ${queue}`, {
    kind: 'consumer',
    traceId,
    parent,
    attributes: {
      ...system,
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
      'messaging.destination.name': queue,
      'messaging.rabbitmq.destination.routing_key': routingKey,
      'messaging.message.id': messageId,
    },
  })
  try {
    await run(span, work)
    span.end()
  } catch (error) {
    span.end({}, error instanceof Problem ? error.code : 'error')
    throw error
  }
}
