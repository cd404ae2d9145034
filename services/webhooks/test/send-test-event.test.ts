import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventTypes } from '@payments/contracts/edges/event-types'
import type { Delivery } from '@payments/contracts/services/webhooks/delivery'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { openBreaker } from '../src/store/subscription/breakers.ts'
import { disableSubscription } from '../src/store/subscription/subscriptions.ts'
import { type Subscribed, settled, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld()
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

describe('sendTestEvent', () => {
  test('reaches only this subscription, regardless of its event types', async () => {
    const chosen = await subscribe(world, `${endpoint.url}/chosen`, { event_types: ['api-key.keys.delete'] })
    const { tenantId, unitId } = chosen
    await subscribe(world, `${endpoint.url}/other`, { tenantId, unitId })
    const reply = await chosen.tenant.post(`${chosen.path}/test`)
    expect([reply.status, reply.body]).toEqual([202, { tenant_event_id: expect.any(String) }])

    // A later event for the other subscription: a stray test event would have arrived before it.
    const [got] = await endpoint.waitFor((one) => one.headers['webhook-id'] === reply.body.tenant_event_id)
    const later = someEvent(tenantId, unitId)
    await world.publish(later)
    await endpoint.waitFor((one) => one.headers['webhook-id'] === later.id)
    expect(endpoint.received.map(({ path }) => path)).toEqual(['/chosen', '/other'])

    const { metadata, ...body } = JSON.parse(got?.body.toString('utf8') ?? '')
    expect(body).toMatchObject({ tenant_id: tenantId, event_type: 'webhooks.test' })
    expect(metadata.business_unit_id).toBe(unitId)
    expect(eventTypes['webhooks.test']?.payload.parse(metadata.payload)).toMatchObject({ subscription_id: chosen.id })
    const testDeliveries = await chosen.deliveries('?event_type=webhooks.test')
    expect(testDeliveries.map(({ subscription_id }) => subscription_id)).toEqual([chosen.id])
  })

  test('sends one test event per Idempotency-Key', async () => {
    const { tenant, path } = await subscribe(world, endpoint.url)
    const headers = { 'Idempotency-Key': randomUUID() }
    const first = await tenant.post(`${path}/test`, {}, headers)
    const again = await tenant.post(`${path}/test`, {}, headers)
    expect([again.status, again.body]).toEqual([202, first.body])
    await endpoint.waitFor(() => true)
    expect(endpoint.received).toHaveLength(1)
  })

  test('rejects a deleted and a foreign subscription, and emits nothing', async () => {
    const { id, tenantId, tenant, path } = await subscribe(world, endpoint.url)
    const stranger = await tenantWithUnit(world)
    const foreign = await stranger.tenant.post(`${stranger.unitPath}/${id}/test`)
    await tenant.delete(path)
    const deleted = await tenant.post(`${path}/test`)
    for (const reply of [foreign, deleted]) {
      expect([reply.status, reply.body.code]).toEqual([404, 'subscription_not_found'])
    }
    expect(await world.db.inTenant(tenantId, (tx) => tx.outboxEvent.count({ where: { tenantId } }))).toBe(0)
  })
})

describe('a test event of a subscription whose deliveries are held', () => {
  const probeAfterMs = 600_000

  /** Sends a test event and waits for its first attempt. */
  async function tested(subscribed: Subscribed) {
    const { body } = await subscribed.tenant.post(`${subscribed.path}/test`)
    let found: Delivery | undefined
    await until(async () => {
      found = (await subscribed.deliveries(`?tenant_event_id=${body.tenant_event_id}`))[0]
      return (found?.attempt_count ?? 0) > 0
    })
    return subscribed.delivery(found?.id ?? '')
  }

  test('is attempted while the subscription is disabled, and shows the response of the receiver', async () => {
    const subscribed = await subscribe(world, endpoint.url, { enabled: false })
    endpoint.respondWith(() => ({ status: 200, body: 'welcome' }))
    const { status, held, attempts } = await tested(subscribed)
    expect([status, held, attempts.length]).toEqual(['delivered', null, 1])
    expect(attempts[0]).toMatchObject({ status_code: 200, response_body: 'welcome', duration_ms: expect.any(Number) })
    expect((await subscribed.tenant.get(subscribed.path)).body.enabled).toBe(false)
  })

  test('is attempted past an open breaker; after a success, the next probe is due at once', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const { tenantId, unitId, id } = subscribed
    await openBreaker(world.db.crossTenant, tenantId, id, probeAfterMs)
    await world.publish(someEvent(tenantId, unitId))
    await settled(subscribed, 'held')
    expect(endpoint.received).toHaveLength(0)
    expect((await tested(subscribed)).status).toBe('delivered')
    await until(async () => (await subscribed.deliveries('?status=delivered')).length === 2)
    const { body: health } = await subscribed.tenant.get(`${subscribed.path}/health`)
    expect(health.breaker.state).toBe('closed')
  })

  test('that the receiver rejects is attempted once, then held with reason, next probe and what to do', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    endpoint.respondWith(() => ({ status: 503 }))
    await openBreaker(world.db.crossTenant, subscribed.tenantId, subscribed.id, probeAfterMs)
    expect((await tested(subscribed)).attempts).toHaveLength(1)
    const { held, attempt_count } = await settled(subscribed, 'held')
    expect([attempt_count, held?.reason]).toEqual([1, 'circuit_open'])
    expect(Date.parse(held?.until ?? '')).toBeGreaterThan(Date.now())
    expect(held?.action).toMatch(/test event/)
    expect(endpoint.received).toHaveLength(1)
  })

  test('of ten at once, each is attempted', async () => {
    const subscribed = await subscribe(world, endpoint.url, { enabled: false })
    await Promise.all(Array.from({ length: 10 }, () => subscribed.tenant.post(`${subscribed.path}/test`)))
    await until(async () => (await subscribed.deliveries('?status=delivered')).length === 10)
    expect(endpoint.received).toHaveLength(10)
  })

  test('does not open the breaker when it fails', async () => {
    const closed = await receiver()
    await closed.close()
    const strict = await startWorld({ schedule: '0s', breaker: { connectErrorsMax: 1 } })
    try {
      await strict.dispatch()
      const subscribed = await subscribe(strict, closed.url)
      await subscribed.tenant.post(`${subscribed.path}/test`)
      await settled(subscribed, 'dead')
      await subscribed.tenant.post(`${subscribed.path}/test`)
      await until(async () => (await subscribed.deliveries('?status=dead')).length === 2)
      const { body } = await subscribed.tenant.get(`${subscribed.path}/health`)
      expect(body.breaker.state).toBe('closed')
    } finally {
      await strict.stop()
    }
  })
})

test('a held delivery of a disabled subscription says so, also in lists', async () => {
  const subscribed = await subscribe(world, endpoint.url, { enabled: false })
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  const { held } = await settled(subscribed, 'held')
  expect(held).toEqual({
    reason: 'subscription_disabled',
    since: expect.any(String),
    until: null,
    action: expect.stringMatching(/^Enable the subscription/),
  })
  expect((await subscribed.deliveries())[0]?.held).toEqual(held)
  const { body } = await subscribed.tenant.get('/v1/webhooks/deliveries?status=held')
  expect(body.data[0].held).toEqual(held)
})

describe('enabled', () => {
  test('is true by default, and changed by PUT', async () => {
    const { tenant, path } = await subscribe(world, endpoint.url)
    expect((await tenant.get(path)).body.enabled).toBe(true)
    expect((await tenant.put(path, { enabled: false })).body.enabled).toBe(false)
    expect((await tenant.put(path, { label: 'a' })).body.enabled).toBe(false)
    expect((await tenant.put(path, { enabled: true })).body).toMatchObject({ enabled: true, label: 'a' })
    const unit = path.replace(/\/[^/]+$/, '')
    const created = await tenant.post(unit, { destination_url: endpoint.url, enabled: false })
    expect([created.status, created.body.enabled]).toEqual([201, false])
  })
})

describe('disableSubscription', () => {
  test('of ten calls at once, one disables the subscription and emits the event', async () => {
    const subscribed = await subscribe(world, `${endpoint.url}/gone`, { event_types: ['api-key.*'] })
    const { tenantId, unitId, id } = subscribed
    const watching = await subscribe(world, endpoint.url, { tenantId, unitId, event_types: ['webhooks.*'] })
    const disable = () =>
      world.db.inTenant(tenantId, (tx) =>
        disableSubscription(tx, tenantId, id, { reason: 'gone', traceId: randomUUID() }),
      )
    const done = await Promise.all(Array.from({ length: 10 }, disable))
    expect(done.filter(Boolean)).toHaveLength(1)
    expect((await subscribed.tenant.get(subscribed.path)).body.enabled).toBe(false)
    await until(async () => (await watching.deliveries()).length > 0)
    const [got] = await endpoint.waitFor(() => true)
    expect(JSON.parse(got?.body.toString('utf8') ?? '')).toMatchObject({
      event_type: 'webhooks.subscriptions.disabled',
      metadata: {
        business_unit_id: unitId,
        payload: { id, destination_url: `${endpoint.url}/gone`, label: null, reason: 'gone' },
      },
    })
    expect(endpoint.received).toHaveLength(1)
  })
})
