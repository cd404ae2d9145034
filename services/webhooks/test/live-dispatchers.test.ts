import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { whileLocked } from '@payments/testing/database/held-lock'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { ownPart } from '../src/dispatch/live-dispatchers.ts'
import { endLease, renewLease } from '../src/store/live-dispatchers.ts'
import { someEvent, startWorld, subscribe, type World } from './world.ts'

const inFlight = { perDestinationMax: 4, perTenantMax: 6 }

let world: World
let endpoint: Receiver
let dispatchers: Awaited<ReturnType<World['dispatch']>>[]

beforeAll(async () => {
  world = await startWorld({ inFlight })
  dispatchers = [await world.dispatch(), await world.dispatch()]
  await live(2)
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

/** Waits until each dispatcher knows of `total` live ones. */
async function live(total: number): Promise<void> {
  for (const { metrics } of dispatchers) {
    await until(async () => {
      const gauge = await metrics.registry.getSingleMetric('webhook_live_dispatchers')?.get()
      return gauge?.values[0]?.value === total
    })
  }
}

/** The receiver responds to no request until `expected` are in flight. Returns the most that ever were. */
function countInFlight(expected: number): () => number {
  let current = 0
  let most = 0
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  endpoint.respondWith(async () => {
    current += 1
    most = Math.max(most, current)
    if (current >= expected) open()
    await opened
    current -= 1
    return { status: 200 }
  })
  return () => most
}

async function deliver(subscriptionsTotal: number, eventsTotal: number): Promise<void> {
  const first = await subscribe(world, endpoint.url)
  const { tenantId, unitId } = first
  for (let i = 1; i < subscriptionsTotal; i += 1) await subscribe(world, endpoint.url, { tenantId, unitId })
  const events = Array.from({ length: eventsTotal }, () => someEvent(tenantId, unitId))
  await Promise.all(events.map((event) => world.publish(event)))
  const total = subscriptionsTotal * eventsTotal
  await until(async () => (await first.deliveries('?status=delivered&limit=200')).length === total)
}

describe('two dispatchers', () => {
  test('keep the limit of a destination together, and use all of it', async () => {
    const most = countInFlight(inFlight.perDestinationMax)
    await deliver(1, 60)
    expect(most()).toBe(inFlight.perDestinationMax)
  })

  test('keep the limit of a tenant together over its destinations, and use all of it', async () => {
    const most = countInFlight(inFlight.perTenantMax)
    await deliver(5, 20)
    expect(most()).toBe(inFlight.perTenantMax)
  })

  test('give the part of a dispatcher whose lease ended to the others', async () => {
    const id = randomUUID()
    await world.db.crossTenant.$executeRawUnsafe(
      `INSERT INTO live_dispatchers (id, expires_at) VALUES ($1::uuid, now() + interval '1 hour')`,
      id,
    )
    await live(3)
    await world.db.crossTenant.$executeRawUnsafe(
      `UPDATE live_dispatchers SET expires_at = now() - interval '1 second' WHERE id = $1::uuid`,
      id,
    )
    await live(2)
    const rows = await world.db.crossTenant.$queryRawUnsafe<{ id: string; lease: number }[]>(
      `SELECT id, extract(epoch FROM expires_at - now())::float8 AS lease FROM live_dispatchers`,
    )
    expect(rows.map((row) => row.id)).not.toContain(id)
    for (const { lease } of rows) expect(lease).toBeLessThanOrEqual(15)
  })
})

test('a renewal does not wait for an expired lease that another dispatcher deletes', async () => {
  const [id, expired] = [randomUUID(), randomUUID()]
  await world.db.crossTenant.$executeRawUnsafe(
    `INSERT INTO live_dispatchers (id, expires_at) VALUES ($1::uuid, now())`,
    expired,
  )
  const held = 'SELECT 1 FROM live_dispatchers WHERE id = $1::uuid FOR UPDATE'
  const live = await whileLocked(world.database.ownerUrl, [held, expired], () =>
    renewLease(world.db.crossTenant, id, 60_000),
  )
  expect(live.total).toBe(3)
  await endLease(world.db.crossTenant, id)
})

test('one dispatcher has the whole limit again after the other one has stopped', async () => {
  await dispatchers.pop()?.stop()
  await live(1)
  const most = countInFlight(inFlight.perDestinationMax)
  await deliver(1, 20)
  expect(most()).toBe(inFlight.perDestinationMax)
})

test('the parts of a limit add up to the limit, with at least one for each dispatcher', () => {
  for (const limit of [1, 7, 10, 50]) {
    for (let total = 1; total <= 12; total += 1) {
      const parts = Array.from({ length: total }, (_, rank) => ownPart(limit, { total, rank }))
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(Math.max(limit, total))
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1)
    }
  }
})
