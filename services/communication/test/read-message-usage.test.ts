import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { countMessages } from '../src/verbs/count-messages.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const month = new Date().toISOString().slice(0, 7)

describe('readMessageUsage', () => {
  test('counts the messages of a month per business unit, and of the tenant only', async () => {
    const tenant = world.tenant()
    const unit = tenant.addUnit()
    await tenant.send()
    await tenant.send({ business_unit_id: unit })
    await tenant.send({ business_unit_id: unit })
    await world.tenant().send()
    await countMessages({ ...world.deps, now: () => new Date(Date.now() + 3_600_000) }, null)
    const { body } = await tenant.get(`/v1/communication/usage?month=${month}`).expect(200)
    expect([body.month, body.total, body.units.length]).toEqual([month, 3, 2])
    expect(body.units[0]).toEqual({ business_unit_id: unit, count: 2 })
  })

  test('rejects what is no month', async () => {
    const { status, body } = await world.tenant().get('/v1/communication/usage?month=2026')
    expect([status, body.errors?.[0].pointer]).toEqual([400, '/query/month'])
  })
})
