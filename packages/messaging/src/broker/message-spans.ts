import type { Tracing } from '@payments/chassis/observability/span'
import { Problem } from '@payments/contracts/grammar/problem'
import { PublishError } from './publication.ts'

interface SpannedMessage {
  /** The exchange or the queue. */
  readonly destination: string
  readonly routingKey: string
  readonly messageId: string | undefined
  readonly traceId: string
  /** The span that emitted the event, or that published the message. */
  readonly parent: string | null
  readonly tenantId?: string
}

/**
 * Sends or processes a message within a span, a child of `parent`. `work` gets the `traceparent` of the span. Names of
 * the semantic conventions for messaging.
 */
export async function inMessageSpan(
  { start, run }: Tracing,
  operation: 'send' | 'process',
  { destination, routingKey, messageId, traceId, parent, tenantId }: SpannedMessage,
  work: (traceparent: string) => Promise<void>,
): Promise<void> {
  const span = start(`${operation} ${destination}`, {
    kind: operation === 'send' ? 'producer' : 'consumer',
    traceId,
    parent,
    attributes: {
      'messaging.system': 'rabbitmq',
      'messaging.operation.type': operation,
      'messaging.operation.name': operation,
      'messaging.destination.name': destination,
      'messaging.rabbitmq.destination.routing_key': routingKey,
      'messaging.message.id': messageId,
      'payments.tenant.id': tenantId,
    },
  })
  try {
    await run(span, () => work(span.traceparent))
    span.end()
  } catch (error) {
    span.end({}, error instanceof PublishError ? error.failure : error instanceof Problem ? error.code : 'error')
    throw error
  }
}
