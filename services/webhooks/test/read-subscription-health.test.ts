import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { SubscriptionHealth } from '@payments/contracts/services/webhooks/health'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { type Subscribed, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  const breaker = { attemptsMin: 1_000, connectErrorsMax: 1, probeAfterMs: 600_000 }
  world = await startWorld({ schedule: '0s,1h', breaker })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const readHealth = async ({ tenant, path }: Subscribed): Promise<SubscriptionHealth> =>
  (await tenant.get(`${path}/health`)).body

/** Publishes an event, and returns the health once it meets the condition. */
async function healthAfterEvent(subscribed: Subscribed, meets: (health: SubscriptionHealth) => boolean) {
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  await until(async () => meets(await readHealth(subscribed)))
  return readHealth(subscribed)
}

const at = expect.stringMatching(/^20\d\d-/)

test('is active before the first attempt, and after one that succeeded', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const nothingYet = {
    state: 'active',
    reason: 'No attempt has been made yet',
    breaker: { state: 'closed', opened_at: null, probe_at: null },
    held: 0,
    waiting: 0,
    counts_capped: false,
    last_delivered_at: null,
    last_failed_at: null,
    previous_secret_expires_at: null,
  }
  const reply = await subscribed.tenant.get(`${subscribed.path}/health`)
  expect([reply.status, reply.body]).toEqual([200, nothingYet])
  const health = await healthAfterEvent(subscribed, (one) => one.last_delivered_at !== null)
  const reason = `The last success was at ${health.last_delivered_at}`
  expect(health).toEqual({ ...nothingYet, reason, last_delivered_at: at })
})

test('is failing after an attempt that failed, and counts deliveries that wait for a retry', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  endpoint.respondWith(() => ({ status: 500 }))
  const health = await healthAfterEvent(subscribed, (one) => one.state === 'failing')
  expect(health).toMatchObject({ held: 0, waiting: 1, last_delivered_at: null, last_failed_at: at })
  expect(health.reason).toBe(`The last attempt failed at ${health.last_failed_at}. No attempt has succeeded yet`)
  endpoint.respondWith(() => ({ status: 200 }))
  expect(await healthAfterEvent(subscribed, (one) => one.state === 'active')).toMatchObject({ waiting: 1 })
})

test('is paused while the circuit breaker is open, and counts held deliveries', async () => {
  const subscribed = await subscribe(world, 'http://127.0.0.1:1/closed')
  await healthAfterEvent(subscribed, (one) => one.state === 'paused')
  const health = await healthAfterEvent(subscribed, (one) => one.held === 1)
  expect(health).toMatchObject({ state: 'paused', waiting: 1, breaker: { state: 'open', opened_at: at, probe_at: at } })
  expect(health.reason).toBe(
    `The circuit breaker has been open since ${health.breaker.opened_at}. Held deliveries are sent after a successful probe`,
  )
})

test('is disabled with its held deliveries, and shows the end of the grace period of a secret', async () => {
  const subscribed = await subscribe(world, endpoint.url, { enabled: false })
  await subscribed.tenant.post(`${subscribed.path}/rotate-secret`, { grace_period_seconds: 3600 })
  const health = await healthAfterEvent(subscribed, (one) => one.held === 1)
  expect(health).toMatchObject({ state: 'disabled', waiting: 0, previous_secret_expires_at: at })
  expect(health.reason).toMatch(/^The subscription has been disabled since 20/)
})

test('says that a count is capped', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId, unitId, id } = subscribed
  const waits = (count: number) =>
    world.db.inTenant(tenantId, (tx) =>
      tx.$executeRawUnsafe(
        `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type,
           occurred_at, trace_id, status, sweep_at)
         SELECT gen_random_uuid(), $1::uuid, $2::uuid, $3::uuid, gen_random_uuid(), 'webhooks.test', now(),
           gen_random_uuid(), 'retrying', now() + interval '1 hour' FROM generate_series(1, $4::int)`,
        tenantId,
        id,
        unitId,
        count,
      ),
    )
  const listed = async () => (await subscribed.tenant.get(`${subscribed.unitPath}?include=health`)).body.data[0].health
  await waits(1_001)
  expect(await readHealth(subscribed)).toMatchObject({ waiting: 1_001, counts_capped: false })
  expect(await listed()).toMatchObject({ waiting: 1_000, counts_capped: true })
  await waits(9_000)
  expect(await readHealth(subscribed)).toMatchObject({ waiting: 10_000, counts_capped: true })
})

test('is part of the list on request', async () => {
  const { tenant, unitPath, id, tenantId, unitId } = await subscribe(world, endpoint.url)
  const second = await subscribe(world, endpoint.url, { tenantId, unitId, enabled: false })
  const states = (await tenant.get(`${unitPath}?include=health`)).body.data.map(
    (one: { id: string; health: SubscriptionHealth }) => [one.id, one.health.state],
  )
  expect(states).toEqual([
    [second.id, 'disabled'],
    [id, 'active'],
  ])
  const { body } = await tenant.get(unitPath)
  expect(body.data.every((one: object) => !('health' in one))).toBe(true)
  const unknown = await tenant.get(`${unitPath}?include=attempts`)
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([400, '/query/include'])
})

test('returns the same 404 for a subscription of another unit or tenant, a missing and a deleted one', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const [sibling, stranger] = [await tenantWithUnit(world, subscribed.tenantId), await tenantWithUnit(world)]
  await subscribed.tenant.delete(subscribed.path)
  for (const { tenant, unitPath, id } of [
    { ...sibling, id: subscribed.id },
    { ...stranger, id: subscribed.id },
    { ...subscribed, id: randomUUID() },
    subscribed,
  ]) {
    const reply = await tenant.get(`${unitPath}/${id}/health`)
    expect([reply.status, reply.body.code]).toEqual([404, 'subscription_not_found'])
  }
})
