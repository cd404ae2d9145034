import { type EventMessage, eventMessage } from '@payments/contracts/event'

/** An event as the relay reads it from the outbox. `payload` is JSON text, passed on byte for byte; `lease` is the relay's. */
export interface OutboxRow {
  readonly id: string
  readonly type: string
  readonly tenant_id: string
  readonly business_unit_id: string | null
  readonly trace_id: string
  readonly occurred_at: string
  readonly payload: string
  readonly lease: string
}

/** The body of an event's message. The payload is not parsed: that would cost time, and digits of large numbers. */
export function writeEventMessage(row: OutboxRow): Buffer {
  const { payload, lease: _lease, ...envelope } = row
  return Buffer.from(`${JSON.stringify(envelope).slice(0, -1)},"payload":${payload}}`)
}

/** Throws on anything that is not an event's message: a consumer's `read`, which sends it to quarantine. */
export function readEventMessage(body: Buffer): EventMessage {
  return eventMessage.parse(JSON.parse(body.toString('utf8')))
}
