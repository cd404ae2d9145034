import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/id'
import { testPool } from '@payments/testing/database'
import type { AttemptOutcome } from '../src/domain/outcome.ts'
import type { WorkItem } from '../src/domain/work-item.ts'
import { type DispatcherDatabase, openDispatcherDatabase } from '../src/store/database.ts'
import { discardDeliveries, enqueueBacklogOverdue, type NextAttempt } from '../src/store/delivery-state.ts'
import { startWorld, subscribe, type World } from './world.ts'

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

const leaseMs = 60_000
const outcome: AttemptOutcome = {
  startedAt: new Date(),
  durationMs: 1,
  statusCode: 500,
  errorKind: 'status',
  errorDetail: 'responded with 500',
  responseBody: null,
  responseTruncated: false,
  timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null },
  retryAfterMs: null,
  credentialNames: null,
}
const retry: NextAttempt = { status: 'retrying', delayMs: 0, published: false, sweepAfterMs: 60_000, lastError: null }

/** A pending delivery of a subscription with an unreachable destination, and its row. */
async function pending() {
  const { tenantId, unitId, id: subscriptionId } = await subscribe(world, 'https://receiver.example/')
  const id = newId()
  await world.db.inTenant(tenantId, (tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at, trace_id,
         body, next_attempt_at, sweep_at)
       VALUES ($1::uuid, $2::uuid, $3::uuid, $4::uuid, gen_random_uuid(), 'a.b', now(), $5::uuid, '{}', now(), now() + interval '1 hour')`,
      id,
      tenantId,
      subscriptionId,
      unitId,
      randomUUID(),
    ),
  )
  const work = (attemptCount: number): WorkItem => ({ id, tenantId, subscriptionId, attemptCount })
  const row = () =>
    world.db.inTenant(tenantId, async (tx) => {
      const { attemptCount, status } = await tx.delivery.findFirstOrThrow({ where: { id } })
      const attempts = await tx.attempt.findMany({ where: { deliveryId: id }, orderBy: { number: 'asc' } })
      return { attemptCount, status, numbers: attempts.map(({ number }) => number) }
    })
  return { work, row }
}

test('an attempt is recorded once: one of ten reports counts, and no report counts after the next claim', async () => {
  const { work, row } = await pending()
  expect((await db.steps.claim(work(0), leaseMs))?.status).toBe('delivering')
  // In sequence and concurrently: the steps batch concurrent calls.
  const first = await db.steps.record(work(0), outcome, retry)
  const others = await Promise.all(Array.from({ length: 9 }, () => db.steps.record(work(0), outcome, retry)))
  expect([first?.status, ...new Set(others)]).toEqual(['retrying', undefined])
  expect((await db.steps.claim(work(1), leaseMs))?.status).toBe('delivering')
  expect(await db.steps.record(work(0), outcome, { ...retry, status: 'dead' })).toBeUndefined()
  expect(await row()).toEqual({ attemptCount: 1, status: 'delivering', numbers: [1] })
})

test.each([
  ['delivered', 'delivered'],
  ['retrying', 'held'],
  ['dead', 'dead'],
] as const)('an attempt of a delivery that was held meanwhile is recorded: %s leads to %s', async (status, state) => {
  const { work, row } = await pending()
  const { tenantId, subscriptionId } = work(0)
  expect((await db.steps.claim(work(0), -1_000))?.status).toBe('delivering')
  await world.db.inTenant(tenantId, (tx) =>
    tx.subscription.update({ where: { id: subscriptionId }, data: { enabled: false } }),
  )
  await enqueueBacklogOverdue(db.sql, { rowsMax: 500, includePublished: true })
  expect(await row()).toEqual({ attemptCount: 0, status: 'held', numbers: [] })
  const next = status === 'retrying' ? retry : { ...retry, status, delayMs: null, sweepAfterMs: null }
  expect((await db.steps.record(work(0), outcome, next))?.status).toBe(state)
  expect(await db.steps.record(work(0), outcome, next)).toBeUndefined()
  expect(await row()).toEqual({ attemptCount: 1, status: state, numbers: [1] })
})

test('an attempt of a delivery that was discarded meanwhile is recorded, and the delivery stays discarded', async () => {
  const { work, row } = await pending()
  const { id, tenantId } = work(0)
  await db.steps.claim(work(0), leaseMs)
  expect(await discardDeliveries(db.sql, tenantId, [id], { by: 'a test', reason: null })).toBe(1)
  expect((await db.steps.record(work(0), outcome, retry))?.status).toBe('discarded')
  expect(await row()).toEqual({ attemptCount: 1, status: 'discarded', numbers: [1] })
})

test('an attempt that is not the next one is neither claimed, nor recorded, nor postponed, nor backlogged', async () => {
  const { work, row } = await pending()
  await db.steps.claim(work(0), leaseMs)
  const before = await row()
  for (const other of [work(1), work(7)]) {
    expect(await db.steps.claim(other, leaseMs)).toBeUndefined()
    expect(await db.steps.record(other, outcome, retry)).toBeUndefined()
    await db.steps.postpone(other, 1_000)
    await db.steps.enqueueBacklog(other, true)
  }
  expect(await row()).toEqual(before)
})
