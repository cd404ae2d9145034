import { outboxSuite } from '@payments/testing/suites/outbox'
import { startWorld } from './world.ts'

outboxSuite(startWorld, async (world) => {
  const tenant = await world.tenant()
  const { body } = await tenant.by().create({ name: 'till' })
  const payload = { id: body.id, name: 'till' }
  return { type: 'rbac.roles.create', tenant_id: tenant.id, business_unit_id: null, payload }
})
