import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { dead, kill, letters } from './dead-letter-world.ts'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
})
afterEach(() => endpoint.close())

test('shows request and response without the signature', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const [event] = await kill(world, 1, subscribed)
  const [{ id } = { id: '' }] = await dead(subscribed)
  const [sent] = endpoint.received
  const { body: letter, text } = await subscribed.tenant.get(`${letters}/${id}`)
  expect(letter.request).toEqual({
    method: 'POST',
    url: endpoint.url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': sent?.headers['user-agent'],
      'Trace-ID': sent?.headers['trace-id'],
      traceparent: sent?.headers['traceparent'],
      'webhook-id': event?.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': 'v1,…',
    },
    body: sent?.body.toString('utf8'),
  })
  expect(letter.response).toEqual({ status_code: 500, body: 'out of order', truncated: false })
  expect(letter.attempts).toMatchObject([{ number: 1, status_code: 500, response_body: 'out of order' }])
  expect(text).not.toContain(String(sent?.headers['webhook-signature']).slice('v1,'.length))
  expect(text).not.toContain(subscribed.secret)

  for (const reply of [
    await world.asTenant(randomUUID()).get(`${letters}/${id}`),
    await subscribed.tenant.get(`${letters}/${randomUUID()}`),
  ]) {
    expect([reply.status, reply.body.code]).toEqual([404, 'dead_letter_not_found'])
  }
})

test('returns dead_letter_not_found for a delivery that is not dead', async () => {
  endpoint.respondWith(() => ({ status: 204 }))
  const subscribed = await subscribe(world, endpoint.url)
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  const { id } = await settled(subscribed, 'delivered')
  const reply = await subscribed.tenant.get(`${letters}/${id}`)
  expect([reply.status, reply.body.code]).toEqual([404, 'dead_letter_not_found'])
})
