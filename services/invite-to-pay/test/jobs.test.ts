import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { runJobs } from '@payments/testing/suites/run-jobs'
import { hashCode } from '../src/domain/code-value.ts'
import { startJobs } from '../src/jobs.ts'
import { nextCodes, takeForPayment } from '../src/store/due-codes.ts'
import { payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('the process expires, reminds, recovers and cancels by its jobs', async () => {
  const [tenant, deleted] = [world.tenant(), world.tenant()]
  const [expiring, claimed, orphaned] = [await tenant.create(), await tenant.create(), await deleted.create()]
  const reminded = await tenant.create({ reminder_at: new Date(Date.now() + 12 * 3_600_000).toISOString() })
  const codeHash = hashCode(payPagePath(claimed).slice('/pay/'.length))
  await world.db.acrossTenants((tx) =>
    takeForPayment(tx, { codeHash, version: 1, paymentId: newId(), payerLocale: 'en', payerTimeZone: null }),
  )
  await world.age(claimed.id, 31)
  await world.age(expiring.id, 25 * 3600)
  await world.handOver(reminded.id)
  await world.age(reminded.id, 13 * 3600)
  await world.deleteUnit(deleted.unitId)
  await runJobs(() => startJobs(world.deps, { config: { INVITE_TO_PAY_RETENTION_DAYS: 365 } }))
  expect((await tenant.read(expiring.id)).status).toBe('expired')
  expect((await tenant.read(claimed.id)).status).toBe('active')
  expect((await deleted.read(orphaned.id)).status).toBe('canceled')
  const sql = `SELECT 1 FROM messages WHERE code_id = $1::uuid AND kind = 'reminder'`
  expect(await world.rows(sql, reminded.id)).toHaveLength(1)
  expect((await tenant.read(reminded.id)).status).toBe('active')
})

test('a look finds when a job has a code to work on', async () => {
  const looks = async () => {
    const { crossTenant } = world.db
    const due = Object.entries(nextCodes).map(async ([job, next]) => [job, (await next(crossTenant)) ?? null] as const)
    return Object.fromEntries(await Promise.all(due))
  }
  for (const table of ['messages', 'codes']) await world.rows(`DELETE FROM ${table} RETURNING 1`)
  expect(await looks()).toEqual({ expire: null, recover: null, remind: null, cancelOrphaned: null })
  const [tenant, deleted] = [world.tenant(), world.tenant()]
  const code = await tenant.create({ reminder_at: new Date(Date.now() + 12 * 3_600_000).toISOString() })
  const waiting = await looks()
  expect(waiting).toMatchObject({ recover: null, cancelOrphaned: null })
  expect(waiting['remind']).toBeGreaterThan(11 * 3_600_000)
  expect(waiting['expire']).toBeGreaterThan(waiting['remind'] ?? 0)
  const codeHash = hashCode(payPagePath(code).slice('/pay/'.length))
  await world.db.acrossTenants((tx) =>
    takeForPayment(tx, { codeHash, version: 1, paymentId: newId(), payerLocale: 'en', payerTimeZone: null }),
  )
  expect((await looks())['recover']).toBeGreaterThan(0)
  await deleted.create()
  await world.deleteUnit(deleted.unitId)
  expect((await looks())['cancelOrphaned']).toBeLessThanOrEqual(0)
  for (const table of ['messages', 'codes']) await world.rows(`DELETE FROM ${table} RETURNING 1`)
  expect((await looks())['cancelOrphaned']).toBeNull()
  await tenant.create()
  await world.setOrchestratorStatus(tenant.unitId, 'deleted')
  expect((await looks())['cancelOrphaned']).toBeLessThanOrEqual(0)
})
