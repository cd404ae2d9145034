import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { countPayments } from '../src/verbs/count-payments.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readPaymentUsage', () => {
  test('counts the transactions of a month per business unit, the largest first', async () => {
    const tenant = world.tenant()
    const other = randomUUID()
    await tenant.storeUnit({}, other)
    await tenant.create()
    for (let payments = 0; payments < 2; payments += 1) await tenant.create({ business_unit_id: other })
    await world.tenant().create()
    await world.rows(`UPDATE transactions SET created_at = '2026-03-31T23:59:59Z'`)
    await countPayments(world.deps, null)
    const { status, body } = await tenant.send('get', '/v1/payment-proxy/usage?month=2026-03')
    const units = [
      { business_unit_id: other, count: 2 },
      { business_unit_id: tenant.businessUnitId, count: 1 },
    ]
    expect([status, body]).toEqual([200, { month: '2026-03', total: 3, units }])
    const april = await tenant.send('get', '/v1/payment-proxy/usage?month=2026-04')
    expect(april.body).toEqual({ month: '2026-04', total: 0, units: [] })
  })

  test('rejects what is no month', async () => {
    const { status, body } = await world.tenant().send('get', '/v1/payment-proxy/usage?month=May')
    expect([status, body.errors?.[0].pointer]).toEqual([400, '/query/month'])
  })
})
