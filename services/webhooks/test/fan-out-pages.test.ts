import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { until } from '@payments/testing/services/until'
import { firstPageMax, takePage } from '../src/dispatch/fan-out.ts'
import { insertDeliveries } from '../src/store/event/fan-out.ts'
import * as fanOuts from '../src/store/event/unfinished-fan-outs.ts'
import { someEvent, startWorld, type World } from './world.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(): Promise<World> {
  const world = await startWorld()
  stops.push(() => world.stop())
  return world
}

/** Subscriptions of a tenant, each in a business unit of its own. They are disabled, so that nothing is sent. */
async function subscriptions(world: World, count: number, tenantId: string = randomUUID()) {
  const data = Array.from({ length: count }, () => ({
    id: newId(),
    tenantId,
    businessUnitId: randomUUID(),
    destinationUrl: 'https://receiver.example/',
    eventTypes: [],
    enabled: false,
    secretMasked: 'whsec_…',
  }))
  await world.db.inTenant(tenantId, (tx) => tx.subscription.createMany({ data }))
  const ids = data.map(({ id }) => id).sort()
  const deliveries = () => world.db.inTenant(tenantId, (tx) => tx.delivery.count())
  const storedUntil = (at: Date) =>
    world.db.inTenant(tenantId, (tx) => tx.delivery.count({ where: { createdAt: { lte: at } } }))
  const lastStoredAt = () =>
    world.db.inTenant(tenantId, async (tx) => {
      const { createdAt } = await tx.delivery.findFirstOrThrow({
        orderBy: { createdAt: 'desc' },
        select: { createdAt: true },
      })
      return createdAt
    })
  return { tenantId, ids, deliveries, storedUntil, lastStoredAt }
}

const unfinished = (world: World) => world.db.acrossTenants((tx) => tx.unfinishedFanOut.count())

/** A fan-out that a dispatcher left after its first page. Its lease ends at `dueAt`. */
async function leave(world: World, event: EventMessage, position: string, dueAt: Date): Promise<void> {
  const { tenant_id: tenantId, id: tenantEventId, occurred_at: occurredAt } = event
  const row = { id: randomUUID(), tenantId, tenantEventId, occurredAt, position, deliveries: firstPageMax, dueAt }
  await world.db.inTenant(tenantId, (tx) => tx.unfinishedFanOut.create({ data: row }))
}

/** An event of the tenant whose dispatcher was killed after the first page. */
async function interrupted(world: World, tenant: Awaited<ReturnType<typeof subscriptions>>, dueAt: Date) {
  const { tenantId, ids, deliveries } = tenant
  const event = someEvent(tenantId, null)
  const { stop } = await world.dispatch()
  await world.publish(event)
  await until(async () => (await deliveries()) === ids.length && (await unfinished(world)) === 0)
  await stop()
  const later = { subscriptionId: { in: ids.slice(firstPageMax) } }
  await world.db.inTenant(tenantId, (tx) => tx.delivery.deleteMany({ where: later }))
  await leave(world, event, ids[firstPageMax - 1] ?? '', dueAt)
  return event
}

const hourMs = 3_600_000
const anHourAgo = () => new Date(Date.now() - hourMs)
const inAnHour = () => new Date(Date.now() + hourMs)

test('250 events of a tenant with 200 subscriptions each do not delay an event of another tenant', async () => {
  const world = await start()
  const [many, few] = [await subscriptions(world, 200), await subscriptions(world, 120)]
  await Promise.all(Array.from({ length: 250 }, () => world.publish(someEvent(many.tenantId, null))))
  await world.publish(someEvent(few.tenantId, null))
  await world.dispatch()
  await until(async () => (await few.deliveries()) === 120, 120_000)
  expect(await many.storedUntil(await few.lastStoredAt())).toBeLessThan((250 * 200) / 4)
}, 180_000)

test('two dispatchers store each delivery once, and nothing is left to continue', async () => {
  const world = await start()
  const tenants = [await subscriptions(world, 230), await subscriptions(world, 117), await subscriptions(world, 17)]
  await world.dispatch()
  await world.dispatch()
  const events = tenants.flatMap(({ tenantId }) => Array.from({ length: 5 }, () => someEvent(tenantId, null)))
  await Promise.all(events.map((event) => world.publish(event)))
  const counts = () => Promise.all(tenants.map(({ deliveries }) => deliveries()))
  await expect(
    until(async () => (await counts()).join() === '1150,585,85' && (await unfinished(world)) === 0, 60_000),
  ).resolves.toBeUndefined()
}, 90_000)

test('a page that a killed dispatcher left is stored after its lease, and nothing for a subscription created since', async () => {
  const world = await start()
  const tenant = await subscriptions(world, 140)
  const event = await interrupted(world, tenant, anHourAgo())
  const late = await subscriptions(world, 1, tenant.tenantId)
  await world.dispatch()
  await until(async () => (await unfinished(world)) === 0)
  const stored = await world.db.inTenant(tenant.tenantId, (tx) => tx.delivery.findMany({ omit: { body: true } }))
  expect(stored.map(({ subscriptionId }) => subscriptionId).sort()).toEqual(tenant.ids)
  expect(new Set(stored.map(({ tenantEventId }) => tenantEventId))).toEqual(new Set([event.id]))
  expect(tenant.ids).not.toContain(late.ids[0])
})

test('an event that is published again leaves the claim of another dispatcher alone', async () => {
  const world = await start()
  const tenant = await subscriptions(world, 40)
  const event = await interrupted(world, tenant, inAnHour())
  await world.dispatch()
  await world.publish(event)
  const marker = await subscriptions(world, 20)
  await world.publish(someEvent(marker.tenantId, null))
  await until(async () => (await marker.deliveries()) === 20)
  expect([await tenant.deliveries(), await unfinished(world)]).toEqual([firstPageMax, 1])
  await world.db.acrossTenants((tx) => tx.unfinishedFanOut.updateMany({ data: { dueAt: anHourAgo() } }))
  await until(async () => (await tenant.deliveries()) === 40 && (await unfinished(world)) === 0)
})

test('an event that is published again completes later pages of which no dispatcher knows', async () => {
  const world = await start()
  const tenant = await subscriptions(world, 40)
  const event = await interrupted(world, tenant, inAnHour())
  await world.db.acrossTenants((tx) => tx.unfinishedFanOut.deleteMany())
  await world.dispatch()
  await world.publish(event)
  await expect(
    until(async () => (await tenant.deliveries()) === 40 && (await unfinished(world)) === 0),
  ).resolves.toBeUndefined()
})

test('the statement of a full first page stores once where to continue, and the span of the first page', async () => {
  const world = await start()
  const { id, tenant_id: tenantId, trace_id: traceId, type, occurred_at: occurredAt } = someEvent(randomUUID(), null)
  const [continueAfter, traceparent] = [newId(), `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`]
  const event = { number: 0, id, tenantId, businessUnitId: null, type, traceId, occurredAt, payload: '{}' }
  const store = (continueAt: string) =>
    world.db.acrossTenants((tx) =>
      insertDeliveries(tx, [{ ...event, traceparent, continueAfter: continueAt, pageLength: firstPageMax }], [], {
        newEventsOnly: true,
      }),
    )
  await store(continueAfter)
  await store(newId())
  const rows = await world.db.inTenant(tenantId, (tx) => tx.unfinishedFanOut.findMany())
  const stored = { tenantEventId: id, position: continueAfter, deliveries: firstPageMax, traceparent }
  expect(rows).toEqual([expect.objectContaining(stored)])
  expect(await world.db.inTenant(tenantId, (tx) => tx.event.count())).toBe(1)
})

test('a fan-out whose event has expired ends', async () => {
  const world = await start()
  await leave(world, someEvent(randomUUID(), null), randomUUID(), anHourAgo())
  await world.dispatch()
  await expect(until(async () => (await unfinished(world)) === 0)).resolves.toBeUndefined()
})

test('a dispatcher whose claim has expired neither moves nor ends a fan-out', async () => {
  const world = await start()
  const position = newId()
  await leave(world, someEvent(randomUUID(), null), position, anHourAgo())
  const left = await world.db.acrossTenants(async (tx) => {
    const { id } = await tx.unfinishedFanOut.findFirstOrThrow()
    const [expired] = await fanOuts.claim(tx, [id], anHourAgo())
    if (expired === undefined) throw new Error('not claimed')
    await fanOuts.claim(tx, [id], inAnHour())
    await fanOuts.advance(tx, expired, { position: newId(), deliveries: 1_000 })
    expect(await fanOuts.finish(tx, expired)).toBe(false)
    return tx.unfinishedFanOut.findFirstOrThrow()
  })
  expect(left).toMatchObject({ position, deliveries: firstPageMax })
})

test('a page that is not full is the only one', () => {
  const matches = Array.from({ length: 17 }, (_, n) => ({ number: 0, id: `${n}`, businessUnitId: 'u', held: false }))
  expect(takePage(matches.slice(0, 16), 16)).toEqual({ matches: matches.slice(0, 16), continueAfter: null })
  expect(takePage(matches, 16)).toEqual({ matches: matches.slice(0, 16), continueAfter: '15' })
  expect(takePage([], 16)).toEqual({ matches: [], continueAfter: null })
})
