import { type EventMessage, eventMessage } from '@payments/contracts/grammar/event'

/**
 * A row of the outbox as the relay reads it. `payload` is JSON text and is published unchanged. `lease` is not
 * published, and `traceparent` is a header of the message.
 */
export interface OutboxRow {
  readonly id: string
  readonly type: string
  readonly tenant_id: string
  readonly business_unit_id: string | null
  readonly trace_id: string
  readonly occurred_at: string
  readonly payload: string
  /** Of the span that emitted the event. Null while tracing is off. */
  readonly traceparent: string | null
  readonly lease: string
}

/** The body of the message of an event. Parsing the payload would cost time and lose digits of large numbers. */
export function writeEventMessage(row: OutboxRow): Buffer {
  const { payload, lease: _lease, traceparent: _traceparent, ...envelope } = row
  return Buffer.from(`${JSON.stringify(envelope).slice(0, -1)},"payload":${payload}}`)
}

/** Throws if the body is not an event. */
export function readEventMessage(body: Buffer): EventMessage {
  return eventMessage.parse(JSON.parse(body.toString('utf8')))
}
