import { outboxSuite } from '@payments/testing/suites/outbox'
import { startWorld } from './world.ts'

outboxSuite(startWorld, async (world) => {
  const tenant = world.tenant()
  const { id } = (await tenant.create()).body
  const of = { tenant_id: tenant.id, business_unit_id: tenant.businessUnitId }
  return { type: 'payment-proxy.transactions.create', ...of, payload: { transaction: { id } } }
})
