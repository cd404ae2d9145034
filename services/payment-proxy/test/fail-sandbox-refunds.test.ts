import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ReportingWorld, startReportingWorld } from './reporting.ts'

let world: ReportingWorld
beforeAll(async () => {
  world = await startReportingWorld()
})
afterAll(() => world.stop())

const applied = [{ attempts: 1, is_applied: true, is_due: false }]

test('the sandbox fails a refund after five seconds, and reports it to the inbox', async () => {
  const { tenant, id } = await world.captured('refund_fails_later')
  expect((await tenant.refund(id)).body.status).toBe('refunded')
  world.advanceClock(6_000)
  await Promise.all([world.failSandboxRefunds(), world.failSandboxRefunds()])
  await world.applyProviderEvents()
  expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_refundable: 10_000 })
  expect(await world.inbox(tenant)).toEqual(applied)
  expect((await tenant.eventTypes()).at(-1)).toBe('refund.failed')
})

test('tenants take turns: many failing refunds of one delay the refund of another by ten', async () => {
  const busy = await world.captured('refund_fails_later')
  await busy.tenant.refund(busy.id)
  await world.rows(
    `INSERT INTO sandbox_operations
      SELECT (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid()))).*
      FROM sandbox_operations AS one, generate_series(1, 60) WHERE tenant_id = $1::uuid AND type = 'refund'`,
    busy.tenant.id,
  )
  const { tenant, id } = await world.captured('refund_fails_later')
  await tenant.refund(id)
  world.advanceClock(6_000)
  expect(await world.failSandboxRefunds()).toBe(11)
  await world.applyProviderEvents()
  expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_refundable: 10_000 })
})
