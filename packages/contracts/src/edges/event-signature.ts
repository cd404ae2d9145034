import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * **What it does.** Proves to the consumer of an event which service published it. The message has one HMAC-SHA256 for
 * each consumer, computed with the key that only producer and consumer hold.
 *
 * **Guarantees.** A holder of the broker's password, or of the keys of another service, cannot publish an event that a
 * consumer accepts. Consumers believe a producer only for the event types of its contract (events.ts).
 *
 * **Not guaranteed.** That a message is new: consumers deduplicate by the id of the event, which is signed.
 */
export interface EventProducer {
  readonly name: string
  /** By consumer. */
  readonly keys: ReadonlyMap<string, KeyObject>
}

export interface EventVerifier {
  readonly consumer: string
  /** By producer. During a rotation a producer has a second key, under its name and a suffix: `rbac` and `rbac-2`. */
  readonly keys: ReadonlyMap<string, KeyObject>
}

/** The input of the HMAC: the body has id, type, tenant, unit, time, trace id and payload. */
export interface SignedEvent {
  readonly body: Buffer
  readonly traceId: string
  readonly traceparent: string | undefined
}

const producerHeader = 'event-producer'
const macsHeader = 'event-macs'

export function signEvent({ name, keys }: EventProducer, event: SignedEvent): Readonly<Record<string, unknown>> {
  const macs = [...keys].map(([consumer, key]) => [
    consumer,
    eventMac(name, consumer, key, event).toString('base64url'),
  ])
  return { [producerHeader]: name, [macsHeader]: Object.fromEntries(macs) }
}

/**
 * unsigned: without an HMAC for this consumer · unknown_producer: no key of that name · forged: another HMAC than the
 * message has · foreign_type: the contract of the producer has no such event.
 */
export const eventRejections = ['unsigned', 'unknown_producer', 'forged', 'foreign_type'] as const
export type EventRejection = (typeof eventRejections)[number]

/** The name of the producer, or why the message is not one of its. */
export function verifyEvent(
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
  { consumer, keys }: EventVerifier,
): { readonly producer: string } | { readonly rejection: Exclude<EventRejection, 'foreign_type'> } {
  const { [producerHeader]: producer, [macsHeader]: macs, 'trace-id': traceId, traceparent } = headers
  const mac = typeof macs === 'object' && macs !== null ? (macs as Record<string, unknown>)[consumer] : undefined
  if (typeof producer !== 'string' || typeof mac !== 'string') return { rejection: 'unsigned' }
  const own = [...keys].filter(([name]) => isNamedAfter(name, producer))
  if (own.length === 0) return { rejection: 'unknown_producer' }
  const event = { body, traceId: readText(traceId) ?? '', traceparent: readText(traceparent) }
  const given = Buffer.from(mac, 'base64url')
  const isGenuine = own.some(([, key]) => {
    const expected = eventMac(producer, consumer, key, event)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isGenuine ? { producer } : { rejection: 'forged' }
}

const isNamedAfter = (name: string, producer: string) => name === producer || name.startsWith(`${producer}-`)
const readText = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The purpose comes first, so that no HMAC of another use of a key is one of an event. */
function eventMac(producer: string, consumer: string, key: KeyObject, event: SignedEvent): Buffer {
  const { body, traceId, traceparent = '' } = event
  return createHmac('sha256', key)
    .update(JSON.stringify(['event 1', producer, consumer, traceId, traceparent]))
    .update('\n')
    .update(body)
    .digest()
}
