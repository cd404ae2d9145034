import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { countPayments } from '../src/verbs/count-payments.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The begin of an hour two days ago. */
const hour = new Date(Math.floor(Date.now() / hourMs) * hourMs - 2 * dayMs)
const countAt = (sinceEndMs: number) =>
  countPayments({ ...world.deps, now: () => new Date(hour.getTime() + hourMs + sinceEndMs) }, null)

/** A tenant with a pending and an authorized transaction that were created at this time of the hour. */
async function tenantWithPayments(atMs = 0): Promise<TestTenant> {
  const tenant = world.tenant()
  await tenant.create()
  await tenant.authorize('visa')
  const createdAt = new Date(hour.getTime() + atMs)
  await world.rows('UPDATE transactions SET created_at = $2 WHERE tenant_id = $1::uuid', tenant.id, createdAt)
  return tenant
}

const readCounts = async ({ id }: TestTenant) => {
  const sql = 'SELECT hour, status, count FROM hourly_counts WHERE tenant_id = $1::uuid ORDER BY hour, status'
  const rows = (await world.rows(sql, id)) as { hour: Date; status: string; count: number }[]
  return rows.map(({ status, count }) => `${count} ${status}`)
}
const readDue = async ({ id }: TestTenant) => {
  const rows = (await world.rows('SELECT due_at FROM counted_hours WHERE tenant_id = $1::uuid', id)) as {
    due_at: Date | null
  }[]
  const [row] = rows
  return row?.due_at == null ? null : Math.round((row.due_at.getTime() - hour.getTime() - hourMs) / minuteMs)
}

describe('countPayments', () => {
  test('counts an hour by status, and the same again', async () => {
    const tenant = await tenantWithPayments()
    for (let runs = 0; runs < 2; runs += 1) {
      await countAt(5 * minuteMs)
      expect(await readCounts(tenant)).toEqual(['1 authorized', '1 pending'])
    }
    await Promise.all(Array.from({ length: 10 }, () => countAt(60 * minuteMs)))
    expect(await readCounts(tenant)).toEqual(['1 authorized', '1 pending'])
  })

  test('counts an hour again when its age has doubled, up to seven days', async () => {
    const tenant = await tenantWithPayments()
    await countAt(-30 * minuteMs)
    expect(await readDue(tenant)).toBe(-25)
    await countAt(60 * minuteMs)
    expect(await readDue(tenant)).toBe(120)
    await world.rows(
      `UPDATE transactions SET status = 'voided' WHERE tenant_id = $1::uuid AND status = 'pending'`,
      tenant.id,
    )
    await countAt(119 * minuteMs)
    expect(await readCounts(tenant)).toEqual(['1 authorized', '1 pending'])
    await countAt(120 * minuteMs)
    expect(await readCounts(tenant)).toEqual(['1 authorized', '1 voided'])
    await countAt(8 * dayMs)
    expect(await readDue(tenant)).toBeNull()
  })

  test('does not count an hour again in which nothing can change', async () => {
    const tenant = await tenantWithPayments()
    await world.rows(`UPDATE transactions SET status = 'refunded' WHERE tenant_id = $1::uuid`, tenant.id)
    await countAt(10 * minuteMs)
    expect([await readCounts(tenant), await readDue(tenant)]).toEqual([['2 refunded'], null])
  })

  test('begins an hour two minutes late, so that a transaction of the hour before is not missed', async () => {
    const tenant = await tenantWithPayments()
    await countAt(minuteMs - hourMs)
    expect(await readCounts(tenant)).toEqual([])
    await countAt(2 * minuteMs - hourMs)
    expect(await readCounts(tenant)).toEqual(['1 authorized', '1 pending'])
  })

  test('keeps the counts of rows that were deleted', async () => {
    const tenant = await tenantWithPayments()
    await countAt(10 * minuteMs)
    await world.rows(`DELETE FROM transactions WHERE tenant_id = $1::uuid AND status = 'pending'`, tenant.id)
    await countAt(2 * hourMs)
    expect([await readCounts(tenant), await readDue(tenant)]).toEqual([['1 authorized', '1 pending'], null])
  })

  test('takes twelve hours of a tenant in a run, oldest first, and continues with the next', async () => {
    const tenant = world.tenant()
    for (let payments = 0; payments < 14; payments += 1) await tenant.create()
    await world.rows(
      `UPDATE transactions t SET created_at = $2::timestamptz - make_interval(hours => 10 * n::int)
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM transactions WHERE tenant_id = $1::uuid) numbered
       WHERE t.id = numbered.id`,
      tenant.id,
      hour,
    )
    await countAt(10 * minuteMs)
    expect(await readCounts(tenant)).toHaveLength(12)
    await countAt(10 * minuteMs)
    expect(await readCounts(tenant)).toHaveLength(14)
  })
})
