import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { templatesMax } from '@payments/contracts/services/communication/templates'
import { readRows } from '@payments/testing/database/rows'
import { greeting, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/v1/communication/templates'

test('creates version 1 of a template, and emits an event without its text', async () => {
  const tenant = world.tenant()
  const { body, headers } = await tenant.template({ business_unit_id: tenant.unitId })
  expect(headers['location']).toBe(`${path}/${body.id}`)
  expect(body).toMatchObject({
    object: 'template',
    kind: 'custom',
    business_unit_id: tenant.unitId,
    version: 1,
    name: 'Greeting',
    subject: 'Hello {{name}}',
    variables: [{ name: 'name', required: true, description: '' }],
  })
  expect((await tenant.get(`${path}/${body.id}`)).body).toEqual(body)
  const [event, ...others] = await tenant.events()
  expect(others).toEqual([])
  const { subject: _subject, text: _text, html: _html, variables: _variables, ...template } = body
  expect(event).toMatchObject({ type: 'communication.templates.create', business_unit_id: null, payload: { template } })
})

test.each([
  ['/subject', { subject: 'Hi {{other}}' }],
  ['/text', { text: 'Hi {{other}}' }],
  ['/html', { html: '<p>{{other}}</p>' }],
  ['/text', { text: 'Hi {{#if name}}x{{/if}}' }],
  ['/text', { text: 'Hi {{{name}}}' }],
  ['/text', { text: 'Hi {{ name' }],
  ['/text', { text: 'Hi {{constructor.name}}' }],
  ['/subject', { subject: null }],
  ['/subject', { communication_type: 'SMS', html: null }],
  ['/html', { communication_type: 'SMS', subject: null }],
  ['/variables/1/name', { variables: [{ name: 'name' }, { name: 'name' }] }],
  ['/text', { text: 'ü'.repeat(40_000) }],
  ['/text', { communication_type: 'SMS', subject: null, html: null, text: `{{name}}${'a'.repeat(1_601)}` }],
  ['/html', { html: `<p>${'&'.repeat(20_000)}</p>` }],
  ['/html', { html: '<script>alert(1)</script>' }],
  ['/html', { html: '<a href="java&#115;cript:x">y</a>' }],
  ['/html', { html: '<img src="https://example.com/x" onerror="x">' }],
  ['/html', { html: '<p title={{name}}>x</p>' }],
])('rejects a template and names %s', async (pointer, changes) => {
  const tenant = world.tenant()
  const { status, body } = await tenant.post(path, { ...greeting, ...changes })
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  expect(await tenant.events()).toEqual([])
})

test('finds neither an unknown unit nor the unit of another tenant, and takes no deleted one', async () => {
  const tenant = world.tenant()
  const rows = await readRows(world.database.ownerUrl, { tenantId: tenant.id })
  const before = await rows.digest()
  const deleted = tenant.addUnit({ status: 'deleted' })
  const codes: unknown[] = []
  for (const unit of [randomUUID(), world.tenant().unitId, deleted]) {
    const { status, body } = await tenant.post(path, { ...greeting, business_unit_id: unit })
    codes.push([status, body.code])
  }
  expect(codes).toEqual([
    [404, 'business_unit_not_found'],
    [404, 'business_unit_not_found'],
    [409, 'business_unit_deleted'],
  ])
  expect((await tenant.get(`${path}?kind=custom`)).body.data).toEqual([])
  expect((await rows.digest()).filter((line) => !line.startsWith('business_unit_copies'))).toEqual(
    before.filter((line) => !line.startsWith('business_unit_copies')),
  )
  await rows.stop()
})

test('creates one template for ten requests with one Idempotency-Key', async () => {
  const tenant = world.tenant()
  const create = () => tenant.post(path, greeting, { 'Idempotency-Key': 'one' })
  const replies = await Promise.all(Array.from({ length: 10 }, create))
  const { body: last } = await create()
  for (const { status, body } of replies) {
    if (status === 201) expect(body).toEqual(last)
    else expect(body.code).toBe('idempotency_key_in_use')
  }
  expect(await tenant.events()).toHaveLength(1)
})

test('a repeated request gets its stored response after the deletion of the unit', async () => {
  const tenant = world.tenant()
  const ofUnit = { ...greeting, business_unit_id: tenant.unitId }
  const create = () => tenant.post(path, ofUnit, { 'Idempotency-Key': 'one' })
  const first = await create()
  await world.rows(
    `UPDATE business_unit_copies SET business_unit = business_unit || '{"status": "deleted"}' WHERE business_unit_id = $1::uuid`,
    tenant.unitId,
  )
  const again = await create()
  expect([again.status, again.body]).toEqual([201, first.body])
  expect((await tenant.post(path, ofUnit)).body.code).toBe('business_unit_deleted')
})

test('ten requests at once do not exceed the limit of templates', async () => {
  const tenant = world.tenant()
  await world.rows(
    `INSERT INTO templates (id, tenant_id, communication_type, version, name, text, variables, updated_at)
     SELECT gen_random_uuid(), $1::uuid, 'SMS', 1, 'x', 'x', '[]', now() FROM generate_series(1, ${templatesMax - 1})
     RETURNING id::text`,
    tenant.id,
  )
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.post(path, greeting)))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  const refused = replies.filter(({ status }) => status !== 201)
  expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['too_many_templates']))
})

test('whose creator may change no template, a template translates none, whichever is stored first', async () => {
  const tenant = world.tenant()
  const creator = world.asTenant(tenant.id, ['communication:CreateTemplate'])
  const german = { ...greeting, locale: 'de', text: 'Hallo {{name}}' }
  const first = await creator.post(path, german).expect(201)
  const named = await tenant.template({ locale: 'en' })
  const last = await creator.post(path, german).expect(201)
  expect([first.body.translates, named.body.translates, last.body.translates]).toEqual([false, true, false])
  const message = { template_id: named.body.id, variables: { name: 'Ada' }, locale: 'de' }
  const sentTemplate = async () =>
    (await tenant.send({ ...message, subject: undefined, text: undefined })).body.template_id
  expect(await sentTemplate()).toBe(named.body.id)

  const ofFirst = `${path}/${first.body.id}`
  const changer = world.asTenant(tenant.id, ['communication:UpdateTemplate'])
  expect((await changer.patch(ofFirst, { text: 'Guten Tag {{name}}' })).body.translates).toBe(true)
  expect(await sentTemplate()).toBe(first.body.id)
})
