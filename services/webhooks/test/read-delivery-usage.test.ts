import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { countDeliveries } from '../src/verbs/count-deliveries.ts'
import { startDeliveryWorld } from './delivery-world.ts'

let world: Awaited<ReturnType<typeof startDeliveryWorld>>
beforeAll(async () => {
  world = await startDeliveryWorld()
})
afterAll(() => world.stop())

describe('readDeliveryUsage', () => {
  test('counts the deliveries of a month per business unit', async () => {
    await countDeliveries(world.deps, null, new Date(Date.now() + 3_600_000))
    const { tenant, unitId } = world.subscribed
    const { status, body } = await tenant.get('/v1/webhooks/usage')
    const month = new Date().toISOString().slice(0, 7)
    expect([status, body]).toEqual([200, { month, total: 3, units: [{ business_unit_id: unitId, count: 3 }] }])
  })

  test('rejects what is no month', async () => {
    const { status, body } = await world.subscribed.tenant.get('/v1/webhooks/usage?month=1')
    expect([status, body.errors?.[0].pointer]).toEqual([400, '/query/month'])
  })
})
