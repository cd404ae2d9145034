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
    const { body } = await tenant.template()
    return { type: 'communication.templates.create', tenant_id: tenant.id, payload: { template: { id: body.id } } }
  },
)
