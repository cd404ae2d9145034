import { outboxSuite } from '@payments/testing/suites/outbox'
import { startWorld } from './world.ts'

outboxSuite(startWorld, async (world) => {
  const tenant = world.tenant()
  const { id } = await tenant.create()
  const of = { tenant_id: tenant.id, business_unit_id: tenant.unitId }
  return { type: 'invite-to-pay.codes.create', ...of, payload: { code: { id } } }
})
