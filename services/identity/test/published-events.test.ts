import { outboxSuite } from '@payments/testing/suites/outbox'
import { newEmail, startWorld } from './world.ts'

outboxSuite(startWorld, async (world) => {
  const tenant = await world.tenant()
  const { body } = await tenant.by().invite({ email: newEmail(), role_ids: [tenant.viewerRole] })
  const payload = { user_invitation: { id: body.id, role_ids: [tenant.viewerRole], status: 'open' } }
  return { type: 'identity.user-invitations.create', tenant_id: tenant.id, business_unit_id: null, payload }
})
