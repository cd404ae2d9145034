import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { dead, kill, letters } from './dead-letter-world.ts'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

/** History shows where an attempt was sent, whatever the subscription says today. */
let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const later = 'http://127.0.0.1:9/later'

test('a past delivery keeps its URL and label after a change of the subscription, everywhere', async () => {
  const before = `${endpoint.url}/before?shop=1`
  const subscribed = await subscribe(world, before)
  const { tenantId, unitId, tenant, path } = subscribed
  await tenant.put(path, { label: 'Ledger' })
  const event = someEvent(tenantId, unitId)
  await world.publish(event)
  await settled(subscribed, 'delivered')
  await tenant.put(path, { destination_url: later, label: 'Archive' })

  const delivery = await settled(subscribed, 'delivered')
  expect(delivery).toMatchObject({ destination_url: before, request: { url: before } })
  expect(delivery.attempts).toMatchObject([{ destination_url: before, label: 'Ledger' }])
  expect((await subscribed.deliveries()).map((one) => one.destination_url)).toEqual([before])
  const explained = await tenant.get(`/v1/webhooks/${unitId}/events/${event.id}`)
  expect(explained.body.subscriptions).toMatchObject([{ destination_url: before, label: 'Ledger' }])
})

test('a dead letter keeps its URL, for tenants and operators', async () => {
  endpoint.respondWith(() => ({ status: 500 }))
  const subscribed = await subscribe(world, `${endpoint.url}/before`)
  await kill(world, 1, subscribed)
  await subscribed.tenant.put(subscribed.path, { destination_url: later })
  const [letter] = await dead(subscribed)
  const id = letter?.id ?? ''
  expect(letter).toMatchObject({ destination_url: `${endpoint.url}/before` })
  const whole = await subscribed.tenant.get(`${letters}/${id}`)
  expect(whole.body).toMatchObject({ destination_url: `${endpoint.url}/before` })
  expect(whole.body.attempts).toMatchObject([{ destination_url: `${endpoint.url}/before`, label: null }])
  const queued = await world.asOperator.get('/internal/dead-letter-queues/webhooks.dead-letters/messages?limit=200')
  const found = queued.body.data.find((one: { id: string }) => one.id === id)
  expect(found).toMatchObject({ destination_url: `${endpoint.url}/before` })
})

test('the stored URL contains no credential of an auth info', async () => {
  const config = { location: 'query', name: 'key', value: 's3cr3t-in-the-query' }
  const subscribed = await subscribe(world, endpoint.url)
  const { tenant, tenantId, unitId, path } = subscribed
  const { body } = await tenant.post('/v1/webhooks/auth-info', { name: 'Query', type: 'api_credential', config })
  await tenant.put(path, { webhook_auth_info_id: body.id })
  await world.publish(someEvent(tenantId, unitId))
  await endpoint.waitFor((one) => one.path.includes('key=s3cr3t-in-the-query'))
  await until(async () => (await subscribed.deliveries('?status=delivered')).length === 1)
  const [row] = await subscribed.deliveries()
  const text = JSON.stringify(await subscribed.delivery(row?.id ?? ''))
  expect(text).not.toContain('s3cr3t-in-the-query')
  const rows = await world.db.inTenant(tenantId, (tx) => tx.attempt.findMany())
  expect(rows.map(({ destinationUrl }) => destinationUrl)).toEqual([endpoint.url])
})
