import { outboxSuite } from '@payments/testing/suites/outbox'
import { startWorld } from './world.ts'

outboxSuite(startWorld, async (world) => {
  const { tenantId, unit } = await world.unit()
  const payload = { business_unit: { id: unit.id } }
  return { type: 'business-unit.business-units.create', tenant_id: tenantId, business_unit_id: null, payload }
})
