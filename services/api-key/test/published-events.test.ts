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
    const tenant = await world.tenant()
    const { body } = await tenant.by().create({ name: 'till 7' })
    const payload = { id: body.id, name: 'till 7' }
    return { type: 'api-key.keys.create', tenant_id: tenant.id, business_unit_id: null, payload }
  },
)
