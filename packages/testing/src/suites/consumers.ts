import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Metrics } from '@payments/chassis/process/metrics'
import { contracts } from '@payments/contracts/edges/contracts'
import { matches } from '@payments/contracts/edges/events'
import { type EventDefinitions, type EventMessage, eventMessage } from '@payments/contracts/grammar/event'
import type { Broker } from '@payments/messaging/broker/broker'
import { domainEvents } from '@payments/messaging/broker/topology'
import { payloadBytesMax } from '@payments/messaging/outbox/outbox'
import { signedHeaders, signedMessage } from '../broker/signed-events.ts'
import type { ZodSchema } from '../generators/arbitrary.ts'
import { hostileTexts, largestValues } from '../generators/hostile-text.ts'
import { slowWorks } from '../runner/held-time.ts'
import { until } from '../services/until.ts'

/**
 * **What it does.** Tests the consumers of a service with each event type that its bindings receive: events of the
 * greatest size with hostile texts, events with another payload, and messages that are no events.
 *
 * **Participants.** The running consumers of the service on its database and a private part of the broker, and their
 * metrics, which count each message by its outcome.
 *
 * **Guarantees.** A message that its contract accepts is processed at the first delivery, and holds the event loop for
 * at most 20 ms. Every other message is quarantined, and the next one is processed.
 *
 * **Not guaranteed.** The rows that a verb stores: the tests of the verb cover them.
 */
export interface ConsumerSubject {
  readonly broker: Pick<Broker, 'prefix' | 'publisher'>
  readonly metrics: Metrics
  /** The queue whose messages are counted, if the metrics have others too. */
  readonly queue?: string
  readonly tenantId: string
  /** Makes the resources known that the event names, as earlier events did. Returns the event to publish. */
  readonly prepare: (event: EventMessage) => EventMessage | Promise<EventMessage>
  /** Whether the consumer reads the payload of the type. Default: of each type. */
  readonly readsPayload?: (type: string) => boolean
}

/** `patterns`: from the bindings of the queues. */
export function consumerSuite(patterns: readonly string[], subject: () => ConsumerSubject): void {
  const consumed = consumedBy(patterns)
  const samples = consumed.map(([type, definition]) => [type, buildEvents(type, definition)] as const)

  const publish = ({ routingKey, body, messageId, headers }: ReturnType<typeof signedMessage>) => {
    const { broker } = subject()
    return broker.publisher.publish({ exchange: domainEvents(broker.prefix), routingKey, body, messageId, headers })
  }
  const countOutcomes = (messages: readonly ReturnType<typeof signedMessage>[]) =>
    outcomesOfAll(subject(), messages, publish)
  const prepared = (events: readonly EventMessage[]) =>
    Promise.all(events.map(async (event) => signedMessage(await subject().prepare(withTenant(event, subject())))))

  describe('given any message', () => {
    test('the bindings receive events', () => expect(consumed.length).toBeGreaterThan(0))

    test.each(samples)(
      'processes %s of the greatest size, and never holds the event loop for long',
      async (_, events) => {
        const messages = await prepared(events)
        const work = async () => expect(await countOutcomes(messages)).toEqual({ acked: messages.length })
        expect(await slowWorks([['events with hostile texts', work]])).toEqual([])
      },
    )

    test('quarantines an event with another payload, and processes the next one', async () => {
      const readsPayload = subject().readsPayload ?? (() => true)
      const read = samples.filter(([type]) => readsPayload(type)).map(([, [event]]) => event as EventMessage)
      const payloads = [{}, { unknown: null }, ...hostileTexts(1_000).map(([, text]) => ({ [text]: text }))]
      const rejected = read.flatMap((event) => payloads.map((payload) => ({ ...event, id: randomUUID(), payload })))
      const messages = rejected.map((event) => signedMessage(withTenant(event, subject())))
      expect(await countOutcomes(messages)).toEqual({ quarantined: messages.length })
      expect(await countOutcomes(await prepared(takeFirst(samples)))).toEqual({ acked: 1 })
    })

    test('quarantines a message that is no event, never holds the event loop for long, and processes the next one', async () => {
      const messages = takeFirst(samples).flatMap(unreadable)
      const work = async () => expect(await countOutcomes(messages)).toEqual({ quarantined: messages.length })
      expect(await slowWorks([['unreadable messages', work]])).toEqual([])
      expect(await countOutcomes(await prepared(takeFirst(samples)))).toEqual({ acked: 1 })
    })
  })
}

/** The event types that the bindings of the service receive, with the definitions of their producers. */
function consumedBy(patterns: readonly string[]): [string, EventDefinitions[string]][] {
  const definitions: EventDefinitions = Object.assign(
    {},
    ...contracts.flatMap(({ events, internalEvents }) => [events, internalEvents ?? {}]),
  )
  return Object.entries(definitions).filter(([type]) => patterns.some((pattern) => matches(pattern, type)))
}

const buildEvents = (type: string, { payload, scope }: EventDefinitions[string]): EventMessage[] =>
  largestValues(payload as ZodSchema, payloadBytesMax).map(([, value]) => ({
    id: randomUUID(),
    type,
    tenant_id: randomUUID(),
    business_unit_id: scope === 'tenant' ? null : randomUUID(),
    trace_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    payload: withIdsOfRows(value),
  }))

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** PostgreSQL writes ids in lower case. */
const withIdsOfRows = (payload: unknown): EventMessage['payload'] =>
  JSON.parse(JSON.stringify(payload), (_, value: unknown) =>
    typeof value === 'string' && uuid.test(value) ? value.toLowerCase() : value,
  )

const withTenant = (event: EventMessage, { tenantId }: ConsumerSubject): EventMessage => ({
  ...event,
  tenant_id: tenantId,
})

const takeFirst = (samples: readonly (readonly [string, EventMessage[]])[]) =>
  samples.slice(0, 1).flatMap(([, events]) => events.slice(0, 1))

const messageBytes = 128 * 1024

/** Messages of the producer of the event that are no events. */
function unreadable(event: EventMessage): ReturnType<typeof signedMessage>[] {
  const { routingKey, headers } = signedMessage(event)
  const producer = String(headers['event-producer'])
  // Null is no error where the event has no business unit.
  const isEvent = (value: unknown) => eventMessage.safeParse(value).success
  return unreadableBodies(event, isEvent).map((body) => ({
    routingKey,
    body,
    messageId: randomUUID(),
    headers: signedHeaders(producer, body, event.trace_id),
  }))
}

/** Bodies of at most 256 KiB that are no message, and the body of `valid` with another value in one field. */
export function unreadableBodies(valid: object, isValid: (value: unknown) => boolean): Buffer<ArrayBuffer>[] {
  const texts = hostileTexts(messageBytes / 4).map(([, text]) => text)
  const lists = ['[]', '{}', '0'].map((item) => `[${`${item},`.repeat(messageBytes / 4)}0]`)
  const deep = '['.repeat(messageBytes / 2) + ']'.repeat(messageBytes / 2)
  const fields = Object.keys(valid).flatMap((name) =>
    [undefined, null, 5, [], 'x'.repeat(messageBytes / 2)].map((value) => JSON.stringify({ ...valid, [name]: value })),
  )
  const others = fields.filter((field) => !isValid(JSON.parse(field)))
  return [...texts, ...lists, deep, '', 'null', '{}', ...others].map((written) => Buffer.from(written))
}

type Outcomes = Readonly<Record<string, number>>

/** Publishes the messages at once, and returns their outcomes when each has one. */
export async function outcomesOfAll<M>(
  subject: Pick<ConsumerSubject, 'metrics' | 'queue'>,
  messages: readonly M[],
  publish: (message: M) => Promise<void>,
): Promise<Outcomes> {
  const before = await outcomes(subject)
  await Promise.all(messages.map(publish))
  let counts = before
  await until(async () => {
    counts = await outcomes(subject)
    return total(counts) >= total(before) + messages.length
  })
  return difference(counts, before)
}

/** The number of settled messages by outcome. */
async function outcomes({ metrics, queue }: Pick<ConsumerSubject, 'metrics' | 'queue'>): Promise<Outcomes> {
  const values = (await metrics.registry.getSingleMetric('consumed_messages_seconds')?.get())?.values ?? []
  const counts: Record<string, number> = {}
  for (const { metricName, labels, value } of values as Counted[]) {
    if (!metricName.endsWith('_count') || (queue !== undefined && labels.queue !== queue)) continue
    counts[labels.outcome] = (counts[labels.outcome] ?? 0) + value
  }
  return counts
}

interface Counted {
  readonly metricName: string
  readonly labels: { readonly queue: string; readonly outcome: string }
  readonly value: number
}

const total = (counts: Outcomes) => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** The outcomes that became more. */
const difference = (after: Outcomes, before: Outcomes): Outcomes =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, count]) =>
      count === before[name] ? [] : [[name, count - (before[name] ?? 0)]],
    ),
  )
