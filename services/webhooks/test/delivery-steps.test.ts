import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { testPool } from '@payments/testing/database/database'
import { holdLock } from '@payments/testing/database/held-lock'
import { type DispatcherDatabase, openDispatcherDatabase } from '../src/dispatch/database.ts'
import type { AttemptOutcome } from '../src/domain/attempt/outcome.ts'
import type { WorkItem } from '../src/domain/delivery/delivery.ts'
import { listDueTasks, lockDueTask } from '../src/store/dead-letter/tasks.ts'
import { claimFromBacklogs } from '../src/store/delivery/claim-from-backlogs.ts'
import { discardDeliveries, enqueueBacklogOverdue, type NextAttempt } from '../src/store/delivery/delivery-state.ts'
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

const outcome: AttemptOutcome = {
  startedAt: new Date(),
  durationMs: 1,
  statusCode: 500,
  errorKind: 'status',
  errorDetail: 'responded with 500',
  responseBody: null,
  responseTruncated: false,
  responseHeaders: null,
  timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null },
  retryAfterMs: null,
  credentialNames: null,
}
const sentTo = { destinationUrl: 'https://example.com/hooks', label: null }
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

/** A claim of a process that ended. */
const endLease = (id: string) =>
  world.db.acrossTenants((tx) =>
    tx.delivery.updateMany({ where: { id }, data: { sweepAt: new Date(Date.now() - 1_000) } }),
  )

test('an attempt is recorded once: one of ten reports counts, and no report counts after the next claim', async () => {
  const { work, row } = await pending()
  expect((await db.steps.claim(work(0)))?.disposition).toBe('delivering')
  // In sequence and concurrently: the steps batch concurrent calls.
  const first = await db.steps.record(work(0), outcome, retry, sentTo)
  const others = await Promise.all(Array.from({ length: 9 }, () => db.steps.record(work(0), outcome, retry, sentTo)))
  expect([first?.status, ...new Set(others)]).toEqual(['retrying', undefined])
  expect((await db.steps.claim(work(1)))?.disposition).toBe('delivering')
  expect(await db.steps.record(work(0), outcome, { ...retry, status: 'dead' }, sentTo)).toBeUndefined()
  expect(await row()).toEqual({ attemptCount: 1, status: 'delivering', numbers: [1] })
})

test.each([
  ['delivered', 'delivered'],
  ['retrying', 'held'],
  ['dead', 'dead'],
] as const)('an attempt of a delivery that was held meanwhile is recorded: %s leads to %s', async (status, state) => {
  const { work, row } = await pending()
  const { tenantId, subscriptionId } = work(0)
  expect((await db.steps.claim(work(0)))?.disposition).toBe('delivering')
  await world.db.inTenant(tenantId, (tx) =>
    tx.subscription.update({ where: { id: subscriptionId }, data: { enabled: false } }),
  )
  await endLease(work(0).id)
  const options = { rowsMax: 500, includePublished: true, after: new Date(0) }
  await db.acrossTenants((tx) => enqueueBacklogOverdue(tx, options))
  expect(await row()).toEqual({ attemptCount: 0, status: 'held', numbers: [] })
  const next = status === 'retrying' ? retry : { ...retry, status, delayMs: null, sweepAfterMs: null }
  expect((await db.steps.record(work(0), outcome, next, sentTo))?.status).toBe(state)
  expect(await db.steps.record(work(0), outcome, next, sentTo)).toBeUndefined()
  expect(await row()).toEqual({ attemptCount: 1, status: state, numbers: [1] })
})

test('an attempt of a delivery that was discarded meanwhile is recorded, and the delivery stays discarded', async () => {
  const { work, row } = await pending()
  const { id, tenantId } = work(0)
  await db.steps.claim(work(0))
  expect(await discardDeliveries(db.crossTenant, tenantId, [id], { by: 'a test', reason: null })).toBe(1)
  expect((await db.steps.record(work(0), outcome, retry, sentTo))?.status).toBe('discarded')
  expect(await row()).toEqual({ attemptCount: 1, status: 'discarded', numbers: [1] })
})

/** Held by another process, whatever it does with the row. */
const lockRow = (table: string, id: string) =>
  holdLock(world.database.ownerUrl, `SELECT 1 FROM ${table} WHERE id = $1::uuid FOR UPDATE`, id)

test('a sweep does not wait for a delivery that another one holds, and takes the others', async () => {
  const [held, free] = [await pending(), await pending()]
  const ids = [held.work(0), free.work(0)].map(({ id }) => id)
  const overdue = `UPDATE deliveries SET sweep_at = now() - interval '1 second' WHERE id = ANY ($1::uuid[])`
  await world.db.acrossTenants((tx) => tx.$executeRawUnsafe(overdue, ids))
  const lock = await lockRow('deliveries', held.work(0).id)
  try {
    const options = { rowsMax: 500, includePublished: true, after: new Date(0) }
    const { subscriptionIds } = await db.acrossTenants((tx) => enqueueBacklogOverdue(tx, options))
    expect(subscriptionIds).toContain(free.work(0).subscriptionId)
    expect(subscriptionIds).not.toContain(held.work(0).subscriptionId)
  } finally {
    await lock.release()
  }
})

test('a claim from a backlog does not wait for a delivery that another one holds', async () => {
  const one = await pending()
  const { id, subscriptionId, tenantId } = one.work(0)
  await world.db.inTenant(tenantId, (tx) =>
    tx.delivery.update({ where: { id }, data: { backlogged: true, sweepAt: null } }),
  )
  const backlog = { tenantId, subscriptionId, backlogVersion: '1', backlogMinId: id, backlogMaxId: id, probe: false }
  const claim = () => claimFromBacklogs(db.crossTenant, [{ backlog, capacity: 1 }])
  const lock = await lockRow('deliveries', id)
  try {
    expect(await claim()).toEqual([])
  } finally {
    await lock.release()
  }
  expect((await claim()).map((claimed) => claimed.id)).toEqual([id])
})

test('a task that another dispatcher runs is not waited for', async () => {
  const id = randomUUID()
  await world.db.acrossTenants((tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO tasks (id, tenant_id, kind, selection, total, created_by)
       VALUES ($1::uuid, gen_random_uuid(), 'redrive', '{"ids":[]}', 1, 'a test')`,
      id,
    ),
  )
  const lockDue = () => world.db.acrossTenants((tx) => lockDueTask(tx, id))
  const lock = await lockRow('tasks', id)
  try {
    expect(await lockDue()).toBeNull()
  } finally {
    await lock.release()
  }
  expect((await lockDue())?.id).toBe(id)
})

test('twenty due tasks of one tenant come after the first task of another', async () => {
  const [many, one] = [randomUUID(), randomUUID()]
  const query = <R>(sql: string, ...values: unknown[]) =>
    world.db.acrossTenants((tx) => tx.$queryRawUnsafe<R[]>(sql, ...values))
  const insert = (tenantId: string, ageMinutes: number) =>
    query<{ id: string }>(
      `INSERT INTO tasks (id, tenant_id, kind, selection, total, created_by, next_batch_at)
       VALUES (gen_random_uuid(), $1::uuid, 'redrive', '{"ids":[]}', 1, 'a test', now() - $2::int * interval '1 minute')
       RETURNING id::text`,
      tenantId,
      ageMinutes,
    )
  for (let i = 0; i < 20; i += 1) await insert(many, 60 + i)
  const [later] = await insert(one, 1)
  const due = await world.db.acrossTenants((tx) => listDueTasks(tx, 3))
  expect(due).toContain(later?.id)
  await query(`UPDATE tasks SET status = 'canceled', finished_at = now() WHERE status = 'running' RETURNING 1`)
})

test('an attempt that is not the next one is neither claimed, nor recorded, nor postponed, nor backlogged', async () => {
  const { work, row } = await pending()
  await db.steps.claim(work(0))
  const before = await row()
  for (const other of [work(1), work(7)]) {
    expect(await db.steps.claim(other)).toBeUndefined()
    expect(await db.steps.record(other, outcome, retry, sentTo)).toBeUndefined()
    await db.steps.postpone(other, 1_000)
    await db.steps.enqueueBacklog(other, true)
  }
  expect(await row()).toEqual(before)
})
