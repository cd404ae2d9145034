import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { countPayments } from '../src/verbs/count-payments.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/v1/payment-proxy/statistics'
const period = `${path}?from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z`

describe('readPaymentStatistics', () => {
  test('counts the transactions of each hour by status, of the tenant or of one business unit', async () => {
    const tenant = world.tenant()
    const other = randomUUID()
    await tenant.storeUnit({}, other)
    await tenant.authorize('visa')
    await tenant.create({ business_unit_id: other })
    const stranger = world.tenant()
    await stranger.create()
    await world.rows(`UPDATE transactions SET created_at = '2026-03-01T09:30:00Z'`)
    await countPayments(world.deps, null)
    const { status, body } = await tenant.send('get', period)
    expect([status, body.interval, body.intervals.length]).toEqual([200, 'hour', 24])
    expect(body.intervals[9]).toMatchObject({
      starts_at: '2026-03-01T09:00:00.000Z',
      total: 2,
      by_status: { authorized: 1, pending: 1, captured: 0 },
    })
    const ofUnit = (await tenant.send('get', `${period}&business_unit_id=${other}`)).body
    expect(ofUnit.intervals[9]).toMatchObject({ total: 1, by_status: { pending: 1 } })
  })

  test.each([
    ['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', '/query/from'],
    ['from=2026-03-01T00:00:00Z&to=2026-05-01T00:00:00Z', '/query/from'],
    ['to=9999-12-31T23:59:59.9Z', '/query/to'],
    ['business_unit_id=1', '/query/business_unit_id'],
  ])('rejects %s and names the parameter', async (query, pointer) => {
    const { status, body } = await world.tenant().send('get', `${path}?${query}`)
    expect([status, body.errors?.[0].pointer]).toEqual([400, pointer])
  })
})

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
