import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { countDeliveries } from '../src/verbs/count-deliveries.ts'
import { startDeliveryWorld } from './delivery-world.ts'

let world: Awaited<ReturnType<typeof startDeliveryWorld>>
beforeAll(async () => {
  world = await startDeliveryWorld()
})
afterAll(() => world.stop())

const path = '/v1/webhooks/statistics'
const hourMs = 3_600_000

describe('readDeliveryStatistics', () => {
  test('counts the deliveries of each hour by status, of the tenant or of one business unit', async () => {
    await countDeliveries(world.deps, null, new Date(Date.now() + hourMs))
    const { tenant, unitId } = world.subscribed
    const sums = async (query: string) => {
      const { intervals } = (await tenant.get(`${path}${query}`)).body
      const of = (status: string) =>
        intervals.reduce(
          (sum: number, row: { by_status: Record<string, number> }) => sum + (row.by_status[status] ?? 0),
          0,
        )
      return { intervals: intervals.length, delivered: of('delivered'), dead: of('dead'), pending: of('pending') }
    }
    const counted = { intervals: 24, delivered: 2, dead: 1, pending: 0 }
    expect(await sums('')).toEqual(counted)
    expect(await sums(`?business_unit_id=${unitId}`)).toEqual(counted)
    expect(await sums(`?business_unit_id=${randomUUID()}`)).toMatchObject({ delivered: 0, dead: 0 })
  })

  test.each([
    ['a period that ends before it begins', 'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', '/query/from'],
    ['an end that is rounded up to the year 10000', 'to=9999-12-31T23:59:59.9Z', '/query/to'],
  ])('rejects %s', async (_, query, pointer) => {
    const { status, body } = await world.subscribed.tenant.get(`${path}?${query}`)
    expect([status, body.errors?.[0].pointer]).toEqual([400, pointer])
  })
})
