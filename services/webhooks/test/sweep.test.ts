import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createPause } from '@payments/chassis/base/deadline'
import { createMetrics } from '@payments/chassis/process/metrics'
import { withClient } from '@payments/devkit/servers/databases'
import { testPool } from '@payments/testing/database/database'
import { type DispatcherDatabase, openDispatcherDatabase } from '../src/dispatch/database.ts'
import { createDestinationLimits } from '../src/dispatch/destination-limits.ts'
import { createDispatchMetrics } from '../src/dispatch/metrics.ts'
import { createSweep } from '../src/dispatch/sweep.ts'
import { enqueueBacklogOverdue, nextOverdue } from '../src/store/delivery/delivery-state.ts'
import { type Subscribed, startWorld, subscribe, type World } from './world.ts'

/** Without a dispatcher: nothing but the test sweeps. */
let world: World
let db: DispatcherDatabase
beforeAll(async () => {
  world = await startWorld()
  db = openDispatcherDatabase(world.database.url, testPool)
})
afterAll(async () => {
  await db.close()
  await world.stop()
})
/** The statistics are those of a quiet day: nothing is overdue. */
beforeEach(async () => {
  await db.crossTenant.$executeRawUnsafe('DELETE FROM deliveries')
  await withClient(world.database.ownerUrl, (owner) => owner.query('ANALYZE deliveries'))
})

/** Deliveries that became overdue `ageSeconds` ago, one per millisecond. */
async function overdue({ tenantId, unitId, id }: Subscribed, count: number, ageSeconds: number): Promise<void> {
  await db.crossTenant.$executeRawUnsafe(
    `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at, trace_id,
       body, next_attempt_at, sweep_at)
     SELECT gen_random_uuid(), $1::uuid, $2::uuid, $3::uuid, gen_random_uuid(), 'a.b', now(), $4::uuid, '{}', now(),
       now() - $6::int * interval '1 second' + n * interval '1 millisecond'
     FROM generate_series(1, $5::int) n`,
    tenantId,
    id,
    unitId,
    randomUUID(),
    count,
    ageSeconds,
  )
}

function sweeper() {
  const limits = createDestinationLimits({
    breaker: { failedPercentMin: 50, attemptsMin: 10, windowMs: 60_000, connectErrorsMax: 5, probeAfterMs: 30_000 },
    inFlight: { perDestinationMax: 10, perTenantMax: 50 },
    ownPart: (limit) => limit,
    backlogSignal: createPause(),
  })
  const { registry } = createMetrics('test')
  return createSweep({ db, limits, metrics: createDispatchMetrics(registry) })
}

const someSubscription = () => subscribe(world, 'https://receiver.example/')
const countBacklog = ({ tenantId }: Subscribed) =>
  world.db.inTenant(tenantId, (tx) => tx.delivery.count({ where: { backlogged: true } }))

test('a batch has the overdue delivery of a tenant behind 2 000 earlier ones of another tenant', async () => {
  const [many, one] = [await someSubscription(), await someSubscription()]
  await overdue(many, 2_000, 3_600)
  await overdue(one, 1, 60)
  const options = { rowsMax: 500, includePublished: true, after: new Date(0) }
  const { subscriptionIds } = await db.acrossTenants((tx) => enqueueBacklogOverdue(tx, options))
  expect(subscriptionIds).toHaveLength(500)
  expect(subscriptionIds).toContain(one.id)
})

test('one run reaches the overdue delivery of a tenant behind 30 000 earlier ones of another tenant', async () => {
  const [many, one] = [await someSubscription(), await someSubscription()]
  await overdue(many, 30_000, 3_600)
  await overdue(one, 1, 60)
  const swept = await sweeper()(0)
  expect(swept).toBeGreaterThan(5_000)
  expect([await countBacklog(many), await countBacklog(one)]).toEqual([swept - 1, 1])
})

test('runs end with nothing overdue, also when many deliveries became overdue at one instant', async () => {
  const [many, one] = [await someSubscription(), await someSubscription()]
  await overdue(many, 12_000, 3_600)
  await db.crossTenant.$executeRawUnsafe(`UPDATE deliveries SET sweep_at = date_trunc('hour', sweep_at)`)
  await overdue(one, 700, 60)
  const sweep = sweeper()
  const counts: number[] = []
  while (counts.length < 5) counts.push(await sweep(0))
  expect(counts.reduce((sum, count) => sum + count)).toBe(12_700)
  expect(counts.at(-1)).toBe(0)
  expect([await countBacklog(many), await countBacklog(one)]).toEqual([12_000, 700])
})

test('sweepers that run at the same moment move each delivery once', async () => {
  const tenants = await Promise.all([1, 2, 3].map(someSubscription))
  for (const tenant of tenants) await overdue(tenant, 1_000, 3_600)
  const sweepers = [sweeper(), sweeper(), sweeper()]
  let swept = 0
  for (let run = 0; run < 10 && swept < 3_000; run += 1) {
    const counts = await Promise.all(sweepers.map((sweep) => sweep(0)))
    swept += counts.reduce((sum, count) => sum + count)
  }
  expect(swept).toBe(3_000)
  for (const tenant of tenants) expect(await countBacklog(tenant)).toBe(1_000)
})

test('published deliveries stay while their messages wait, and do not hide the others behind them', async () => {
  const [published, one] = [await someSubscription(), await someSubscription()]
  await overdue(published, 11_000, 60)
  await db.crossTenant.$executeRawUnsafe('UPDATE deliveries SET published = true')
  await overdue(one, 1, 30)
  expect(await sweeper()(1_000)).toBe(1)
  expect([await countBacklog(published), await countBacklog(one)]).toEqual([0, 1])
})

test('a look finds when the next delivery of all tenants is overdue', async () => {
  expect(await nextOverdue(db)).toBeNull()
  const [sooner, later] = [await someSubscription(), await someSubscription()]
  await overdue(later, 1, -3_600)
  await overdue(sooner, 1, -60)
  const dueMs = await nextOverdue(db)
  expect(dueMs).toBeGreaterThan(0)
  expect(dueMs).toBeLessThanOrEqual(61_000)
  await overdue(later, 1, 1)
  expect(await nextOverdue(db)).toBeLessThanOrEqual(0)
})
