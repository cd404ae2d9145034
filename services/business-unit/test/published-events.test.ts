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
    const { tenantId, unit } = await world.unit()
    const payload = { business_unit: { id: unit.id } }
    return { type: 'business-unit.business-units.create', tenant_id: tenantId, business_unit_id: null, payload }
  },
)
