import { afterAll, beforeAll } from '@jest/globals'
import { outboxSuite } from '@payments/testing/suites/outbox'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

outboxSuite(
  () => world,
  async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.create()).body
    const of = { tenant_id: tenant.id, business_unit_id: tenant.businessUnitId }
    return { type: 'payment-proxy.transactions.create', ...of, payload: { transaction: { id } } }
  },
)
