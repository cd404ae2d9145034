import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { builtInTemplates } from '../src/domain/built-in-templates.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const previewPath = (id: string) => `/v1/communication/templates/${id}/preview`

test('renders the three parts, escapes values in HTML only, and sends nothing', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  const { body } = await tenant.post(previewPath(template.id), { variables: { name: '<b>"Ada" & \r\nBcc: x</b>' } })
  expect(body).toEqual({
    subject: 'Hello <b>"Ada" & Bcc: x</b>',
    text: 'Dear <b>"Ada" & \r\nBcc: x</b>, welcome.',
    html: '<p>Dear &lt;b&gt;"Ada" &amp; \r\nBcc: x&lt;/b&gt;, <b>welcome</b>.</p>',
  })
  expect(await world.rows('SELECT 1 FROM communications WHERE tenant_id = $1::uuid', tenant.id)).toEqual([])
})

test.each([
  ['an undeclared variable', { name: 'Ada', other: 'x' }, '/variables/other'],
  ['a missing variable', {}, '/variables/name'],
  ['a value that makes the subject too long', { name: 'x'.repeat(200) }, '/variables'],
])('rejects %s', async (_what, variables, pointer) => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  const { status, body } = await tenant.post(previewPath(template.id), { variables })
  expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
})

test('renders a built-in template with the branding of a unit', async () => {
  const tenant = world.tenant()
  const branding = {
    display_name: 'Berlin <Coffee>',
    logo_url: 'https://example.com/logo.png',
    primary_color: '#112233',
    support_email: 'help@example.com',
  }
  const unit = tenant.addUnit({ branding })
  const invitation = builtInTemplates.find((one) => one.name === 'invitation' && one.communicationType === 'EMAIL')
  const variables = { amount: 'EUR 12.34', payment_url: 'https://pay.example.com/pay/abc' }
  const preview = (body: object) => tenant.post(previewPath(invitation?.id ?? ''), { variables, ...body })
  const { body } = await preview({ business_unit_id: unit })
  expect(body.subject).toBe('Berlin <Coffee> requests a payment of EUR 12.34')
  expect(body.html).toContain('Berlin &lt;Coffee&gt; requests a payment of EUR 12.34.')
  for (const part of ['src="https://example.com/logo.png"', 'href="https://pay.example.com/pay/abc"', '#112233'])
    expect(body.html).toContain(part)
  expect(body.text).toContain('Pay EUR 12.34: https://pay.example.com/pay/abc')
  const { body: plain } = await preview({})
  expect(plain.html).not.toMatch(/<img|mailto|\{\{/)
  const { body: refused } = await preview({ variables: { ...variables, payment_url: 'javascript:alert(1)' } })
  expect(refused.errors).toEqual([
    { pointer: '/variables/payment_url', detail: 'must be an address that begins with https, http, mailto, tel' },
  ])
  const { body: branded } = await preview({ variables: { ...variables, logo_url: 'https://elsewhere.example.com' } })
  expect(branded.errors[0].pointer).toBe('/variables/logo_url')
})

test('finds no template and no unit of another tenant', async () => {
  const tenant = world.tenant()
  const other = world.tenant()
  const { body: theirs } = await other.template()
  const unknown = await tenant.post(previewPath(theirs.id), { variables: { name: 'x' } })
  expect([unknown.status, unknown.body.code]).toEqual([404, 'template_not_found'])
  const { body: own } = await tenant.template()
  for (const unit of [other.unitId, randomUUID()]) {
    const { status, body } = await tenant.post(previewPath(own.id), {
      business_unit_id: unit,
      variables: { name: 'x' },
    })
    expect([status, body.code]).toEqual([404, 'business_unit_not_found'])
  }
})

test('a variable can have the name of a property that objects inherit', async () => {
  const tenant = world.tenant()
  const part = 'Hello {{constructor}}{{name}}.'
  const variables = [{ name: 'constructor', required: false }, { name: 'name' }]
  const { body: template } = await tenant.template({ subject: part, text: part, html: `<p>${part}</p>`, variables })
  const preview = async (values: object) => (await tenant.post(previewPath(template.id), { variables: values })).body
  const hello = (name: string) => ({ subject: `Hello ${name}.`, text: `Hello ${name}.`, html: `<p>Hello ${name}.</p>` })
  expect(await preview({ name: 'Ada' })).toEqual(hello('Ada'))
  expect(await preview({ constructor: 'Dr ', name: 'Ada' })).toEqual(hello('Dr Ada'))
})

test('an element with such a name is rejected as any other', async () => {
  const html = '<constructor href="https://example.com/">x</constructor>'
  const draft = { name: 'T', communication_type: 'EMAIL', subject: 'S', text: 'T', html, variables: [] }
  const { status, body } = await world.tenant().post('/v1/communication/templates', draft)
  expect([status, body.errors]).toEqual([400, [{ pointer: '/html', detail: 'must not contain <constructor>' }]])
})
