/** Events as the services publish them, for tests that publish in the name of a service. All pairs have one key. */
import { createHash, createSecretKey } from 'node:crypto'
import { eventPatterns } from '@payments/contracts/edges/event-patterns'
import { buildRoutingKey } from '@payments/contracts/edges/event-routing'
import { signEvent } from '@payments/contracts/edges/event-signature'
import { eventTypesByService } from '@payments/contracts/edges/events'
import type { EventMessage } from '@payments/contracts/grammar/event'

const bytes = createHash('sha256').update('events of tests').digest()
const key = createSecretKey(bytes)
const producers = [...eventTypesByService.keys()]
const consumers = Object.keys(eventPatterns)

/** The keys of a consumer. */
export const testEventVerifyKeys = new Map(producers.map((name) => [name, key]))

/** The same, as the configuration of a process has it. */
export const eventConsumerSettings = { EVENT_VERIFY_KEYS: testEventVerifyKeys }

/** The keys of a producer. */
export const testEventSignKeys = new Map(consumers.map((name) => [name, key]))

const written = (names: readonly string[]) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, bytes.toString('base64')])))

/** The variables of a process. */
export const testEventEnvironment = { EVENT_SIGN_KEYS: written(consumers), EVENT_VERIFY_KEYS: written(producers) }

/** The headers of a message that a producer publishes, whatever it contains. */
export function signedHeaders(name: string, body: Buffer, traceId: string): Readonly<Record<string, unknown>> {
  const message = { body, traceId, traceparent: undefined }
  return { 'trace-id': traceId, ...signEvent({ name, keys: testEventSignKeys }, message) }
}

/** The parts of the message of an event that depend on its content. */
export function signedMessage(event: Pick<EventMessage, 'id' | 'type' | 'trace_id'> & { readonly payload: object }) {
  const [name = 'unknown'] = producers.filter((producer) => eventTypesByService.get(producer)?.has(event.type))
  const body = Buffer.from(JSON.stringify(event))
  const routingKey = buildRoutingKey(event.type, JSON.stringify(event.payload))
  return { routingKey, body, messageId: event.id, headers: signedHeaders(name, body, event.trace_id) }
}
