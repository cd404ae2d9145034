import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const link = 'https://pay.example.com/pay/abc'
const invitation = {
  name: 'Own invitation',
  text: 'Dear {{name}}, please pay {{amount}}: {{payment_url}}',
  html: null,
  subject: 'Please pay',
  variables: [
    { name: 'name', required: false },
    { name: 'amount', required: true },
    { name: 'payment_url', required: true },
  ],
}

function checkWith(tenantId: string, unitId: string, templateId: string, changes: object = {}) {
  return world.inviteToPay().post(`/internal/tenants/${tenantId}/templates/check`, {
    business_unit_id: unitId,
    communication_type: 'EMAIL',
    template_id: templateId,
    variables: { amount: 'EUR 12.34', payment_url: link, name: 'Ada', reference: 'a variable of other templates' },
    required: ['payment_url'],
    ...changes,
  })
}

test('accepts a template of the tenant and of its unit, and stores nothing', async () => {
  const tenant = world.tenant()
  const { body: ofTenant } = await tenant.template(invitation)
  const { body: ofUnit } = await tenant.template({ ...invitation, business_unit_id: tenant.unitId })
  for (const { id } of [ofTenant, ofUnit]) {
    const reply = await checkWith(tenant.id, tenant.unitId, id)
    expect([reply.status, reply.text]).toEqual([204, ''])
  }
  expect((await tenant.get('/v1/communication/communications')).body.data).toEqual([])
})

test('names the template that cannot be used', async () => {
  const tenant = world.tenant()
  const { body: own } = await tenant.template(invitation)
  const { body: withoutLink } = await tenant.template()
  const { body: deleted } = await tenant.template(invitation)
  await tenant.delete(`/v1/communication/templates/${deleted.id}`).expect(204)
  const { body: ofOtherUnit } = await tenant.template({ ...invitation, business_unit_id: tenant.addUnit() })
  const { body: ofOtherTenant } = await world.tenant().template(invitation)
  const cases: [string, object][] = [
    [withoutLink.id, {}],
    [deleted.id, {}],
    [ofOtherUnit.id, {}],
    [ofOtherTenant.id, {}],
    [randomUUID(), {}],
    [own.id, { communication_type: 'SMS' }],
  ]
  for (const [id, changes] of cases) {
    const { status, body } = await checkWith(tenant.id, tenant.unitId, id, changes)
    expect([id, status, body.code, body.errors?.[0].pointer]).toEqual([id, 422, 'template_unusable', '/template_id'])
  }
})

test('names a variable that is missing, or that makes the message too long', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template({ ...invitation, subject: '{{name}}' })
  for (const [variables, pointer] of [
    [{ payment_url: link }, '/variables/amount'],
    [{ payment_url: link, amount: 'EUR 1', name: 'a'.repeat(500) }, '/variables'],
  ] as const) {
    const { status, body } = await checkWith(tenant.id, tenant.unitId, template.id, { variables })
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  }
})

test('rejects an unknown and a deleted business unit', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template(invitation)
  const deleted = tenant.addUnit({ status: 'deleted' })
  expect((await checkWith(tenant.id, randomUUID(), template.id)).body.code).toBe('business_unit_not_found')
  expect((await checkWith(tenant.id, deleted, template.id)).body.code).toBe('business_unit_deleted')
})
