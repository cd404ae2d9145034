import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { testPool } from '@payments/testing/database/database'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { Webhook } from 'standardwebhooks'
import { openDispatcherDatabase } from '../src/dispatch/database.ts'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

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

describe('deliver', () => {
  test('posts exactly the six fields, signed, with the documented headers', async () => {
    const subscribed = await subscribe(world, `${endpoint.url}/hook?a=1`)
    const event = someEvent(subscribed.tenantId, subscribed.unitId)
    await world.publish(event)
    const [got] = await endpoint.waitFor(() => true)
    if (got === undefined) throw new Error('nothing was received')

    const body = JSON.parse(got.body.toString('utf8'))
    expect(body).toEqual({
      trace_id: got.headers['trace-id'],
      tenant_id: subscribed.tenantId,
      event_type: event.type,
      metadata: { payload: event.payload, business_unit_id: subscribed.unitId },
      tenant_event_id: event.id,
    })
    expect(body.trace_id).not.toBe(event.trace_id)
    expect([got.method, got.path, got.headers['content-type']]).toEqual(['POST', '/hook?a=1', 'application/json'])
    expect(got.headers['user-agent']).toMatch(/^PaymentService-Webhooks/)
    expect(got.headers['webhook-id']).toBe(event.id)
    expect(new Webhook(subscribed.secret).verify(got.body, got.headers as Record<string, string>)).toEqual(body)
  })

  test('stores every attempt: instant, status, duration, response', async () => {
    endpoint.respondWith(() => ({ status: 201, body: 'thanks' }))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    const delivery = await settled(subscribed, 'delivered')
    expect(delivery).toMatchObject({ attempt_count: 1, next_attempt_at: null, destination_url: endpoint.url })
    expect(delivery.attempts).toEqual([
      expect.objectContaining({
        number: 1,
        status_code: 201,
        error_kind: null,
        response_body: 'thanks',
        response_truncated: false,
        next_attempt_at: null,
      }),
    ])
  })

  test('retries on schedule with the same event id, bytes and trace id', async () => {
    endpoint.respondWith(() => ({ status: endpoint.received.length < 3 ? 503 : 200 }))
    const subscribed = await subscribe(world, endpoint.url)
    const event = someEvent(subscribed.tenantId, subscribed.unitId)
    await world.publish(event)
    const delivery = await settled(subscribed, 'delivered')

    const { received } = endpoint
    expect(received.map((one) => one.headers['webhook-id'])).toEqual([event.id, event.id, event.id])
    expect(new Set(received.map((one) => one.body.toString('hex'))).size).toBe(1)
    for (const one of received) new Webhook(subscribed.secret).verify(one.body, one.headers as Record<string, string>)
    const gaps = received.slice(1).map((one, index) => one.at.getTime() - (received[index]?.at.getTime() ?? 0))
    expect(gaps[0]).toBeGreaterThanOrEqual(150)
    expect(gaps[1]).toBeGreaterThanOrEqual(310)
    expect(delivery.attempts.map(({ number, error_kind, status_code }) => [number, error_kind, status_code])).toEqual([
      [1, 'status', 503],
      [2, 'status', 503],
      [3, null, 200],
    ])
    expect(delivery.attempts[0]?.next_attempt_at).not.toBeNull()
  })

  test('is dead after the last attempt, and makes no other attempt', async () => {
    endpoint.respondWith(() => ({ status: 500, body: 'no' }))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    const delivery = await settled(subscribed, 'dead')
    expect(delivery.attempts).toHaveLength(3)
    expect(delivery).toMatchObject({ attempt_count: 3, next_attempt_at: null })
    expect(endpoint.received).toHaveLength(3)
  })

  test('records a redirect as a failure and does not follow it', async () => {
    endpoint.respondWith(() => ({ status: 302, headers: { location: `${endpoint.url}/elsewhere` } }))
    const subscribed = await subscribe(world, `${endpoint.url}/here`)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    const delivery = await settled(subscribed, 'dead')
    expect(delivery.attempts.map((attempt) => attempt.error_kind)).toEqual(['redirect', 'redirect', 'redirect'])
    expect(endpoint.received.filter((one) => one.path !== '/here')).toEqual([])
  })

  test('never connects to a link-local destination, not even in development', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await world.db.inTenant(subscribed.tenantId, (tx) =>
      tx.subscription.updateMany({ data: { destinationUrl: 'http://169.254.169.254/latest' } }),
    )
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    const delivery = await settled(subscribed, 'dead')
    expect(delivery.attempts[0]).toMatchObject({ error_kind: 'blocked_address', status_code: null })
  })

  test('a receiver that hangs does not delay other receivers', async () => {
    const hanging = await receiver()
    let open = 0
    let mostOpen = 0
    hanging.respondWith((_received, response) => {
      open += 1
      mostOpen = Math.max(mostOpen, open)
      response.once('close', () => {
        open -= 1
      })
      return undefined
    })
    try {
      const stuck = await subscribe(world, hanging.url)
      const healthy = await subscribe(world, endpoint.url)
      for (let i = 0; i < 300; i += 1) await world.publish(someEvent(stuck.tenantId, stuck.unitId))
      await hanging.waitFor(() => true, { count: 10 })
      const event = someEvent(healthy.tenantId, healthy.unitId)
      const publishedAt = Date.now()
      await world.publish(event)
      await endpoint.waitFor((one) => one.headers['webhook-id'] === event.id, { timeoutMs: 20_000 })
      expect(Date.now() - publishedAt).toBeLessThan(20_000)
      expect(mostOpen).toBe(10)
      await stuck.tenant.delete(stuck.path)
    } finally {
      await hanging.close()
    }
  })

  test('two dispatchers with the same work count each attempt once', async () => {
    const second = await world.dispatch()
    endpoint.respondWith(() => ({ status: 500 }))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    await until(async () => (await subscribed.deliveries()).length === 1)
    const [row] = await subscribed.deliveries()
    if (row === undefined) throw new Error('no delivery')
    const work = { id: row.id, tenantId: subscribed.tenantId, subscriptionId: subscribed.id, attemptCount: 0 }
    await Promise.all(Array.from({ length: 10 }, () => world.broker.queues.publishWork(work, 0)))
    const delivery = await settled(subscribed, 'dead')
    expect(delivery.attempts.map((attempt) => attempt.number)).toEqual([1, 2, 3])
    expect(endpoint.received).toHaveLength(3)
    await second.stop()
  })

  test('a duplicate message without a permit leaves the delivery to the worker that claimed it', async () => {
    let respond = () => {}
    const responded = new Promise<void>((resolve) => {
      respond = resolve
    })
    endpoint.respondWith(async () => {
      await responded
      return { status: 200 }
    })
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    await endpoint.waitFor(() => true)
    const [{ id } = { id: '' }] = await subscribed.deliveries()
    const own = openDispatcherDatabase(world.database.url, testPool)
    const work = { id, tenantId: subscribed.tenantId, subscriptionId: subscribed.id, attemptCount: 0 }
    await own.steps.enqueueBacklog(work, false)
    await own.close()
    expect(await subscribed.deliveries()).toMatchObject([{ id, status: 'delivering' }])
    respond()
    await settled(subscribed, 'delivered')
    expect(endpoint.received).toHaveLength(1)
  })

  test('the deletion of the subscription ends its deliveries in progress', async () => {
    endpoint.respondWith(() => ({ status: 500 }))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    await endpoint.waitFor(() => true)
    await subscribed.tenant.delete(subscribed.path)
    const delivery = await settled(subscribed, 'discarded')
    expect(delivery.next_attempt_at).toBeNull()
    expect(endpoint.received.length).toBeLessThan(3)
  })
})
