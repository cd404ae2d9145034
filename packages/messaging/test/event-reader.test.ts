import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type EventProducer, signEvent } from '@payments/contracts/edges/event-signature'
import { Registry } from 'prom-client'
import { eventReader } from '../src/consume/event-reader.ts'

const key = () => createSecretKey(randomBytes(32))
const [ofPayments, ofMessages, previous] = [key(), key(), key()]
const keys = new Map([
  ['payment-proxy', ofPayments],
  ['communication', ofMessages],
])
const paymentProxy: EventProducer = { name: 'payment-proxy', keys: new Map([['invite-to-pay', ofPayments]]) }
const communication: EventProducer = { name: 'communication', keys: new Map([['invite-to-pay', ofMessages]]) }
const traceId = randomUUID()
const event = {
  id: randomUUID(),
  type: 'payment-proxy.transactions.authorize.and.capture',
  tenant_id: randomUUID(),
  business_unit_id: randomUUID(),
  trace_id: traceId,
  occurred_at: new Date().toISOString(),
  payload: { amount: 10 },
}
const body = Buffer.from(JSON.stringify(event))

const signHeaders = (producer: EventProducer, traceparent?: string) => ({
  'trace-id': traceId,
  ...(traceparent === undefined ? {} : { traceparent }),
  ...signEvent(producer, { body, traceId, traceparent }),
})

function reader(known: ReadonlyMap<string, KeyObject> = keys) {
  const registry = new Registry()
  const read = eventReader('invite-to-pay', known, registry)
  const refused = async (reason: string) => {
    const metric = await registry.getSingleMetric('event_messages_refused_total')?.get()
    return metric?.values.find(({ labels }) => labels['reason'] === reason)?.value
  }
  return { read: (headers: object, bytes = body) => read(bytes, { headers: { ...headers } }), refused }
}

test('reads an event of its producer, with and without a trace', () => {
  const { read } = reader()
  expect(read(signHeaders(paymentProxy))).toEqual(event)
  expect(read(signHeaders(paymentProxy, '00-1-2-01'))).toEqual(event)
})

test.each([
  ['unsigned', 'without a signature', { 'trace-id': traceId }, body],
  [
    'unsigned',
    'signed for another consumer',
    signHeaders({ name: 'payment-proxy', keys: new Map([['webhooks', key()]]) }),
    body,
  ],
  ['unknown_producer', 'of a producer without a key', { ...signHeaders(paymentProxy), 'event-producer': 'rbac' }, body],
  [
    'forged',
    'signed with another key',
    signHeaders({ ...paymentProxy, keys: new Map([['invite-to-pay', key()]]) }),
    body,
  ],
  [
    'forged',
    'with the name of another producer',
    { ...signHeaders(communication), 'event-producer': 'payment-proxy' },
    body,
  ],
  [
    'forged',
    'with another body',
    signHeaders(paymentProxy),
    Buffer.from(JSON.stringify({ ...event, payload: { amount: 11 } })),
  ],
  ['forged', 'with another trace id', { ...signHeaders(paymentProxy), 'trace-id': randomUUID() }, body],
  ['forged', 'with another traceparent', { ...signHeaders(paymentProxy, 'a'), traceparent: 'b' }, body],
  ['foreign_type', 'that the contract of its producer does not have', signHeaders(communication), body],
] as const)('rejects and counts an event: %s, %s', async (reason, _, headers, bytes) => {
  const { read, refused } = reader()
  expect(await refused(reason)).toBe(0)
  expect(() => read(headers, bytes)).toThrow(`rejected the event: ${reason.replace('_', ' ')}`)
  expect(await refused(reason)).toBe(1)
})

test('accepts both keys of a producer during a rotation', () => {
  const both = new Map([
    ['payment-proxy', previous],
    ['payment-proxy-2', ofPayments],
  ])
  const { read } = reader(both)
  expect(read(signHeaders(paymentProxy))).toEqual(event)
  const earlier = { ...paymentProxy, keys: new Map([['invite-to-pay', previous]]) }
  expect(read(signHeaders(earlier))).toEqual(event)
})
