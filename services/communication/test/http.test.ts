import { createSecretKey, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { Webhook } from 'standardwebhooks'
import { createHttp } from '../src/providers/http.ts'
import { buildMessage, providerSuite } from './provider-suite.ts'

const bytes = randomBytes(32)
let endpoint: Receiver
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const http = () =>
  createHttp({ url: `${endpoint.url}/messages`, key: createSecretKey(bytes), fromAddress: 'noreply@example.com' })
const sent = (message = buildMessage()) => http().send(message, AbortSignal.timeout(20_000))

providerSuite(() => ({
  provider: http(),
  hasReceived: async ({ id }, text) =>
    endpoint.received.some(({ body }) => body.includes(id) && JSON.stringify(JSON.parse(String(body))).includes(text)),
}))

test('signs each request, and sends the id of the communication as Idempotency-Key', async () => {
  endpoint.respondWith(() => ({ status: 202, body: JSON.stringify({ id: 'provider-1' }) }))
  const message = buildMessage({ html: '<p>Text</p>' })
  expect(await sent(message)).toEqual({ kind: 'accepted', providerMessageId: 'provider-1' })
  const [request] = endpoint.received
  const headers = request?.headers as Record<string, string>
  expect([request?.path, headers['idempotency-key'], headers['webhook-id']]).toEqual([
    '/messages',
    message.id,
    message.id,
  ])
  const body = new Webhook(`whsec_${bytes.toString('base64')}`).verify(String(request?.body), headers)
  expect(body).toEqual({
    id: message.id,
    tenant_id: message.tenantId,
    business_unit_id: message.businessUnitId,
    communication_type: 'EMAIL',
    recipient: 'payer@example.com',
    from: { name: 'Berlin Coffee', address: 'noreply@example.com' },
    reply_to: 'shop@example.com',
    subject: 'Hi',
    text: 'Text',
    html: '<p>Text</p>',
  })
})

test.each([
  [400, { kind: 'refused', detail: 'unknown number' }],
  [422, { kind: 'refused', detail: 'unknown number' }],
  [302, { kind: 'unavailable', reason: 'HTTP 302' }],
  [401, { kind: 'unavailable', reason: 'HTTP 401' }],
  [404, { kind: 'unavailable', reason: 'HTTP 404' }],
  [429, { kind: 'unavailable', reason: 'HTTP 429' }],
  [503, { kind: 'unavailable', reason: 'HTTP 503' }],
])('a response with status %s', async (status, outcome) => {
  endpoint.respondWith(() => ({ status, body: JSON.stringify({ error: 'unknown\r\nnumber' }) }))
  expect(await sent()).toEqual(outcome)
})

test.each(['', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(501)])(
  'an id that cannot be stored is left out: %j',
  async (id) => {
    endpoint.respondWith(() => ({ status: 202, body: JSON.stringify({ id }) }))
    expect(await sent()).toEqual({ kind: 'accepted', providerMessageId: null })
  },
)

test('a detail is cut between two characters', async () => {
  endpoint.respondWith(() => ({ status: 422, body: JSON.stringify({ error: `${'x'.repeat(499)}\u{1f600}` }) }))
  expect(await sent()).toEqual({ kind: 'refused', detail: 'x'.repeat(499) })
})

test('a silent server ends at the deadline', async () => {
  endpoint.respondWith(() => undefined)
  const outcome = await http().send(buildMessage(), AbortSignal.timeout(300))
  expect(outcome).toEqual({ kind: 'unavailable', reason: 'timeout' })
})

test('a server that resets the connection, responds without end, or is gone, is temporary', async () => {
  endpoint.respondWith((_, response) => void response.destroy())
  expect(await sent()).toMatchObject({ kind: 'unavailable' })
  endpoint.respondWith(() => ({ status: 200, body: 'x'.repeat(100_000) }))
  expect(await sent()).toMatchObject({ kind: 'unavailable' })
  await endpoint.close()
  expect(await sent()).toMatchObject({ kind: 'unavailable' })
  endpoint = await receiver()
})
