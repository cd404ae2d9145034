/** @slow It inserts millions of rows. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

const hours = 31 * 24
/** Per hour: each outcome, and twenty problem codes. */
const rowsPerHour = 24
const tenants = 20
const readMsMax = 50
/** How long other processes of the machine may slow each read. */
const busyMsMax = 60_000

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads 31 days within 50 ms, with a million requests of each tenant counted', async () => {
  const tenantIds = Array.from({ length: tenants }, () => randomUUID())
  const { rowCount } = await world.owner.query(
    `INSERT INTO audit_statistics
     SELECT t::uuid, date_trunc('hour', now()) - make_interval(hours => h),
            (ARRAY['success', 'denied', 'rejected', 'error'])[c % 4 + 1], 'none', CASE WHEN c < 4 THEN '' ELSE 'c' || c END, 56
     FROM unnest($1::text[]) t, generate_series(0, $2 - 1) h, generate_series(0, $3 - 1) c`,
    [tenantIds, hours, rowsPerHour],
  )
  expect(rowCount).toBe(tenants * hours * rowsPerHour)
  await world.owner.query('ANALYZE audit_statistics')
  const from = new Date(Date.now() - (hours - 1) * 3_600_000).toISOString()
  let fastest = Number.POSITIVE_INFINITY
  const deadlineAt = performance.now() + busyMsMax
  for (let read = 0; fastest > readMsMax && performance.now() < deadlineAt; read++) {
    const startedAt = performance.now()
    const { status } = await world.asTenant(tenantIds[read % tenants] ?? '').get(`/v1/audit/statistics?from=${from}`)
    fastest = Math.min(fastest, performance.now() - startedAt)
    expect(status).toBe(200)
  }
  process.stdout.write(`statistics of 31 days, ${rowCount} rows: ${fastest.toFixed(1)} ms\n`)
  expect(fastest).toBeLessThanOrEqual(readMsMax)
}, 120_000)
