import { outboxSuite } from '@payments/testing/suites/outbox'
import { startWorld } from './world.ts'

outboxSuite(startWorld, async (world) => {
  const tenant = world.tenant()
  const { body } = await tenant.template()
  return { type: 'communication.templates.create', tenant_id: tenant.id, payload: { template: { id: body.id } } }
})
