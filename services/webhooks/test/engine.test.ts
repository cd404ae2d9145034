import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { transactionRetries } from '@payments/chassis/database/transaction'
import { holdLock } from '@payments/testing/database/held-lock'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { type Subscribed, settled, someEvent, startWorld, subscribe, type World } from './world.ts'

const probeAfterMs = 300

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,200ms,1h', breaker: { probeAfterMs } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const setEnabled = (subscribed: Subscribed, enabled: boolean) =>
  world.db.inTenant(subscribed.tenantId, (tx) => tx.subscription.updateMany({ data: { enabled } }))

const publishAll = (events: readonly ReturnType<typeof someEvent>[]) =>
  Promise.all(events.map((event) => world.publish(event)))

/** Events one second apart, the first the oldest. */
const createEvents = ({ tenantId, unitId }: Subscribed, count: number) =>
  Array.from({ length: count }, (_, index) =>
    someEvent(tenantId, unitId, { occurred_at: new Date(Date.now() - (count - index) * 1_000).toISOString() }),
  )

const statuses = async (subscribed: Subscribed) =>
  (await subscribed.deliveries('?limit=200')).map((delivery) => delivery.status)

const readBreaker = (subscribed: Subscribed) =>
  world.db.inTenant(subscribed.tenantId, async (tx) => (await tx.destination.findFirst())?.breaker)

const ids = () => endpoint.received.map((one) => one.headers['webhook-id'])

describe('a disabled subscription', () => {
  test('holds its deliveries, and starts them in the order of their events when it is enabled', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await setEnabled(subscribed, false)
    const events = createEvents(subscribed, 40)
    await publishAll([...events].reverse())
    await until(async () => (await statuses(subscribed)).length === 40)
    expect(new Set(await statuses(subscribed))).toEqual(new Set(['held']))
    const [held] = await subscribed.deliveries()
    expect(held).toMatchObject({ attempt_count: 0, next_attempt_at: null })
    expect(endpoint.received).toEqual([])

    await setEnabled(subscribed, true)
    await until(async () => (await subscribed.deliveries('?status=delivered&limit=200')).length === 40)
    const started = await world.db.inTenant(subscribed.tenantId, (tx) =>
      tx.attempt.findMany({ orderBy: { startedAt: 'asc' } }),
    )
    const inOrder = started.map(({ deliveryId }) => deliveryId).sort()
    // Ten are in flight at once, so one may overtake the others.
    for (const [position, { deliveryId }] of started.entries()) {
      expect(Math.abs(inOrder.indexOf(deliveryId) - position)).toBeLessThanOrEqual(10)
    }
  })

  test('disabled between attempts: holds the next attempt and does not count it', async () => {
    endpoint.respondWith(() => ({ status: 500 }))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    await endpoint.waitFor(() => true)
    await setEnabled(subscribed, false)
    const held = await settled(subscribed, 'held')
    expect(held.attempts.map((attempt) => attempt.number)).toEqual([1])
    endpoint.respondWith(() => ({ status: 200 }))
    await setEnabled(subscribed, true)
    const delivered = await settled(subscribed, 'delivered')
    expect(delivered.attempts.map((attempt) => attempt.number)).toEqual([1, 2])
  })

  test('deleted: discards held deliveries and deliveries that enter the backlog later', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await setEnabled(subscribed, false)
    await publishAll(createEvents(subscribed, 3))
    await until(async () => (await subscribed.deliveries('?status=held')).length === 3)
    await world.db.inTenant(subscribed.tenantId, (tx) =>
      tx.subscription.updateMany({ data: { deletedAt: new Date() } }),
    )
    await until(async () => (await statuses(subscribed)).every((status) => status === 'discarded'))
    expect(endpoint.received).toEqual([])
  })
})

describe('the circuit breaker', () => {
  test('opens for a failing receiver, holds its deliveries, and sends them after one successful probe', async () => {
    endpoint.respondWith(() => ({ status: 500 }))
    const subscribed = await subscribe(world, endpoint.url)
    await publishAll(createEvents(subscribed, 10))
    await until(async () => (await readBreaker(subscribed)) === 'open')
    await until(async () => endpoint.received.length >= 10)
    const later = createEvents(subscribed, 20)
    await publishAll(later)
    await until(async () => (await subscribed.deliveries('?status=held&limit=200')).length >= 20)
    // Without a breaker, all thirty would have been attempted at once.
    const tried = (await subscribed.deliveries('?limit=200')).reduce((sum, delivery) => sum + delivery.attempt_count, 0)
    expect(tried).toBeLessThan(30)

    endpoint.respondWith(() => ({ status: 200 }))
    await until(async () => (await readBreaker(subscribed)) === 'closed')
    await until(async () => later.every((event) => ids().includes(event.id)))
    await until(async () => (await subscribed.deliveries('?status=delivered&limit=200')).length >= 20)
  })

  test('opens after five consecutive connection errors; a failed probe is the only attempt and opens it again', async () => {
    const nowhere = await receiver()
    await nowhere.close()
    const subscribed = await subscribe(world, nowhere.url)
    await publishAll(createEvents(subscribed, 5))
    await until(async () => (await readBreaker(subscribed)) === 'open')
    const opened = Date.now()
    const openedAt = () => world.db.inTenant(subscribed.tenantId, (tx) => tx.destination.findFirst())
    const first = (await openedAt())?.probeAt
    await until(async () => {
      const found = await openedAt()
      return found?.breaker === 'open' && found.probeAt !== null && first != null && found.probeAt > first
    })
    const attempts = await world.db.inTenant(subscribed.tenantId, (tx) => tx.attempt.count())
    // Five attempts that opened the breaker, those in flight at the time, and a probe every third of a second.
    expect(attempts).toBeLessThanOrEqual(5 + 5 + 1 + (Date.now() - opened) / probeAfterMs)
    await subscribed.tenant.delete(subscribed.path)
  })

  test('a failing receiver opens no other breaker', async () => {
    endpoint.respondWith((one) => ({ status: one.path === '/bad' ? 500 : 200 }))
    const bad = await subscribe(world, `${endpoint.url}/bad`)
    const good = await subscribe(world, `${endpoint.url}/good`, { tenantId: bad.tenantId, unitId: bad.unitId })
    await publishAll(createEvents(bad, 15))
    await until(async () => (await good.deliveries(`?subscription_id=${good.id}&status=delivered`)).length === 15)
    const breakers = await world.db.inTenant(bad.tenantId, (tx) =>
      tx.destination.findMany({ where: { breaker: 'closed' } }),
    )
    expect(breakers.every((row) => row.subscriptionId !== bad.id)).toBe(true)
    await bad.tenant.delete(bad.path)
  })
})

describe('responses of a receiver', () => {
  test('503 with Retry-After: no attempt before the requested time', async () => {
    endpoint.respondWith(() => ({ status: 503, headers: { 'retry-after': '90' } }))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    const { attempts } = await settled(subscribed, 'retrying')
    const [first] = attempts
    const waitMs = Date.parse(first?.next_attempt_at ?? '') - Date.parse(first?.started_at ?? '')
    expect(waitMs).toBeGreaterThanOrEqual(90_000)
    expect(waitMs).toBeLessThan(100_000)
  })

  test('410: the delivery is dead, the subscription disabled, later events are held', async () => {
    endpoint.respondWith(() => ({ status: 410 }))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    const { attempts } = await settled(subscribed, 'dead')
    expect(attempts).toEqual([expect.objectContaining({ number: 1, status_code: 410, error_kind: 'gone' })])
    expect((await subscribed.tenant.get(subscribed.path)).body).toMatchObject({ enabled: false })
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    await settled(subscribed, 'held')
    expect(endpoint.received).toHaveLength(1)
  })

  test('410 during the deletion of the subscription: both lock the subscription first, and both complete', async () => {
    let respond = () => {}
    const responded = new Promise<void>((resolve) => {
      respond = resolve
    })
    endpoint.respondWith(() => responded.then(() => ({ status: 410 })))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    await endpoint.waitFor(() => true)
    const retries = async () => (await transactionRetries.get()).values[0]?.value ?? 0
    const before = await retries()
    const sql = 'SELECT 1 FROM deliveries WHERE subscription_id = $1::uuid FOR UPDATE'
    const lock = await holdLock(world.database.ownerUrl, sql, subscribed.id)
    respond()
    await lock.untilWaiting(1)
    const deleted = subscribed.tenant.delete(subscribed.path).then((reply) => reply)
    await lock.untilWaiting(2)
    await lock.release()
    expect((await deleted).status).toBe(204)
    expect((await retries()) - before).toBe(0)
  })
})

describe('fairness', () => {
  test('a backlog of 20 000 of one tenant does not delay the first delivery of another', async () => {
    endpoint.respondWith(async (one) => {
      if (one.path === '/slow') await new Promise((resolve) => setTimeout(resolve, 50))
      return { status: 200 }
    })
    const busy = await subscribe(world, `${endpoint.url}/slow`)
    await fillBacklog(busy, 20_000)
    await endpoint.waitFor((one) => one.path === '/slow', { count: 50 })
    const lone = await subscribe(world, `${endpoint.url}/lone`)
    for (let round = 0; round < 5; round += 1) {
      const event = someEvent(lone.tenantId, lone.unitId)
      const before = endpoint.received.length
      await world.publish(event)
      await endpoint.waitFor((one) => one.headers['webhook-id'] === event.id)
      const position = endpoint.received.findIndex((one) => one.headers['webhook-id'] === event.id)
      // The deliveries of the backlog that arrived first: a few shares of 100.
      expect(position - before).toBeLessThan(500)
    }
    expect((await busy.tenant.delete(busy.path)).status).toBe(204)
    await until(async () => (await statuses(busy)).every((status) => status !== 'pending'), 60_000)
  }, 120_000)

  test('eight receivers that hang delay no other receiver of the same tenant', async () => {
    const hanging = await receiver()
    let release: (response: { status: number }) => void = () => {}
    const responded = new Promise<{ status: number }>((resolve) => {
      release = resolve
    })
    hanging.respondWith(() => responded)
    try {
      const type = 'payment-proxy.transactions.refund'
      const quick = await subscribe(world, endpoint.url, { event_types: [type] })
      const { tenantId, unitId } = quick
      const slow = { tenantId, unitId, event_types: ['payment-proxy.transactions.capture'] }
      for (let i = 0; i < 8; i += 1) await subscribe(world, hanging.url, slow)
      await publishAll(createEvents(quick, 20))
      await until(() => hanging.received.length === 40)
      for (let round = 0; round < 5; round += 1) {
        const event = someEvent(tenantId, unitId, { type })
        await world.publish(event)
        await endpoint.waitFor((one) => one.headers['webhook-id'] === event.id)
      }
      // None of the attempts at the others has ended.
      expect(hanging.received).toHaveLength(40)
    } finally {
      release({ status: 200 })
      await hanging.close()
    }
  }, 120_000)

  test('limits a tenant to fifty attempts in flight, regardless of its number of subscriptions', async () => {
    const hanging = await receiver()
    let open = 0
    let most = 0
    hanging.respondWith(async () => {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setTimeout(resolve, 30))
      open -= 1
      return { status: 200 }
    })
    try {
      const first = await subscribe(world, hanging.url)
      const { tenantId, unitId } = first
      for (let i = 1; i < 8; i += 1) await subscribe(world, hanging.url, { tenantId, unitId })
      await publishAll(createEvents(first, 40))
      await until(async () => hanging.received.length === 320, 30_000)
      expect(most).toBeGreaterThan(30)
      expect(most).toBeLessThanOrEqual(50)
    } finally {
      await hanging.close()
    }
  }, 120_000)
})

/** Adds deliveries of recent events to the backlog of a subscription. */
async function fillBacklog({ tenantId, unitId, id }: Subscribed, count: number): Promise<void> {
  await world.db.acrossTenants(async (tx) => {
    await tx.$executeRawUnsafe(
      `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at, trace_id,
         body, backlogged, next_attempt_at)
       SELECT overlay(gen_random_uuid()::text PLACING $4 FROM 1)::uuid, $1::uuid, $2::uuid, $3::uuid, gen_random_uuid(), 'a.b', now(),
         gen_random_uuid(), '{}', true, now() FROM generate_series(1, $5::int)`,
      tenantId,
      id,
      unitId,
      idPrefix(Date.now()),
      count,
    )
    const [from, to] = [
      `${idPrefix(Date.now() - 60_000)}-0000-000000000000`,
      `${idPrefix(Date.now())}-ffff-ffffffffffff`,
    ]
    await tx.destination.create({
      data: { subscriptionId: id, tenantId, hasBacklog: true, backlogMinId: from, backlogMaxId: to },
    })
  })
}

/** The first 18 characters of a UUID v7 of that instant. */
function idPrefix(instantMs: number): string {
  const hex = instantMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15, 18)}`
}
