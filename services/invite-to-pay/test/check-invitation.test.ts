import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const check = (tenant: TestTenant, invitation: object = {}, fields: object = {}) =>
  world.asService().post(`/internal/tenants/${tenant.id}/invitations/check`, {
    business_unit_id: tenant.unitId,
    payment_orchestrator_id: null,
    invitation: { communication_type: 'EMAIL', recipient: 'payer@example.com', ...invitation },
    ...fields,
  })

test('accepts an invitation that a code can be created from, and stores nothing', async () => {
  const template = randomUUID()
  world.communication.state.templates.add(template)
  const tenant = world.tenant()
  const reminder = new Date(Date.now() + 3_600_000).toISOString()
  expect((await check(tenant, { template_id: template, reminder_at: reminder })).status).toBe(204)
  const framed = world.tenant(
    {},
    { orchestrators: [{ payment_gateway: 'http', iframe_url: 'https://cards.example.com/' }] },
  )
  expect((await check(framed, {}, { payment_orchestrator_id: framed.orchestratorId })).status).toBe(204)
  expect(await world.rows('SELECT 1 FROM codes')).toEqual([])
})

test('checks the template for the locale of the invitation, else of the transaction', async () => {
  const template = randomUUID()
  world.communication.state.templates.add(template)
  const tenant = world.tenant()
  await check(tenant, { template_id: template, locale: 'de-AT' }, { transaction_locale: 'fr' })
  await check(tenant, { template_id: template }, { transaction_locale: 'fr' })
  await check(tenant, { template_id: template })
  const locales = world.communication.checks.filter(([id]) => id === template).map(([, locale]) => locale)
  expect(locales).toEqual(['de-AT', 'fr', null])
})

test('rejects what a code cannot be created from, and names the field of the invitation', async () => {
  const tenant = world.tenant()
  const withoutPage = world.tenant({}, { orchestrators: [{ payment_gateway: 'stripe' }] })
  const outcomes: unknown[] = []
  for (const reply of [
    await check(tenant, {}, { business_unit_id: randomUUID() }),
    await check(world.tenant({}, { status: 'deleted' })),
    await check(withoutPage),
    await check(tenant, { template_id: randomUUID() }),
    await check(tenant, { expires_at: new Date().toISOString() }),
    await check(tenant, { recipient: 'nobody' }),
  ]) {
    outcomes.push([reply.status, reply.body.code, reply.body.errors?.[0]?.pointer])
  }
  expect(outcomes).toEqual([
    [404, 'business_unit_not_found', undefined],
    [409, 'business_unit_deleted', undefined],
    [422, 'payment_orchestrator_without_page', undefined],
    [422, 'template_unusable', '/invitation/template_id'],
    [400, 'invalid_request', '/invitation/expires_at'],
    [400, 'invalid_request', '/invitation/recipient'],
  ])
})
