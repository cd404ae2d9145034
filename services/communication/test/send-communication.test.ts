import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const listQueued = (tenantId: string) =>
  world.rows<{ content: Record<string, unknown> }>(
    'SELECT content FROM communications WHERE tenant_id = $1::uuid',
    tenantId,
  )

test('queues a message of the request with the sender of the unit, and emits no event before it is sent', async () => {
  const tenant = world.tenant()
  const unit = tenant.addUnit({ communication: { from_name: 'Berlin Coffee', reply_to: 'shop@example.com' } })
  const { status, body } = await tenant.send({ business_unit_id: unit, subject: 'Two\r\nBcc: evil@example.com' })
  expect(status).toBe(202)
  expect(body).toEqual({
    id: body.id,
    object: 'communication',
    business_unit_id: unit,
    communication_type: 'EMAIL',
    recipient: 'payer@example.com',
    template_id: null,
    template_name: null,
    template_version: null,
    amount: null,
    status: 'queued',
    provider: 'outbox',
    provider_message_id: null,
    error: null,
    created_at: body.created_at,
    sent_at: null,
  })
  const content = { fromName: 'Berlin Coffee', replyTo: 'shop@example.com', subject: 'Two Bcc: evil@example.com' }
  expect(await listQueued(tenant.id)).toEqual([{ content: { ...content, text: 'Text', html: null } }])
  expect(await tenant.events()).toEqual([])
})

test('takes `body` as another name of `text`', async () => {
  const tenant = world.tenant()
  const { status } = await tenant.send({ text: undefined, body: 'Text of earlier clients' })
  expect([status, await listQueued(tenant.id)]).toMatchObject([202, [{ content: { text: 'Text of earlier clients' } }]])
})

test('renders a template of the unit with the given variables', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template({ business_unit_id: tenant.unitId })
  const parts = { template_id: template.id, variables: { name: 'Ada' }, subject: undefined, text: undefined }
  const { status, body } = await tenant.send(parts)
  expect([status, body.template_id]).toEqual([202, template.id])
  const [queued] = await listQueued(tenant.id)
  expect(queued?.content).toMatchObject({ subject: 'Hello Ada', text: 'Dear Ada, welcome.' })
})

const sms = { communication_type: 'SMS', subject: undefined, recipient: '+4930123456' }
test.each([
  ['a display name', '/recipient', { recipient: 'Ada <ada@example.com>' }],
  ['two addresses', '/recipient', { recipient: 'a@example.com,b@example.com' }],
  ['a header in the recipient', '/recipient', { recipient: 'a@example.com\r\nBcc: b@example.com' }],
  ['a long address', '/recipient', { recipient: `${'a'.repeat(320)}@example.com` }],
  ['a number without country', '/recipient', { ...sms, recipient: '030123456' }],
  ['a number for EMAIL', '/recipient', { recipient: '+4930123456' }],
  ['no subject', '/subject', { subject: undefined }],
  ['a subject for SMS', '/subject', { ...sms, subject: 'x' }],
  ['HTML for SMS', '/html', { ...sms, html: '<p>x</p>' }],
  ['a long SMS', '/text', { ...sms, text: 'x'.repeat(1_601) }],
  ['no text', '/text', { text: undefined }],
  ['text of more than 64 KiB', '/text', { text: 'ü'.repeat(40_000) }],
  ['text under both of its names', '/body', { body: 'Text' }],
  ['HTML of more than 64 KiB', '/html', { html: 'ü'.repeat(40_000) }],
  ['active HTML', '/html', { html: '<iframe src="https://example.com">' }],
  ['variables without a template', '/variables', { variables: { name: 'x' } }],
  ['text beside a template', '/text', { template_id: randomUUID() }],
])('rejects %s, names the field and queues nothing', async (_what, pointer, changes) => {
  const tenant = world.tenant()
  const { status, body } = await tenant.send(changes)
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  expect(await listQueued(tenant.id)).toEqual([])
})

test('rejects variables that the template does not declare or that are missing', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  const parts = { template_id: template.id, subject: undefined, text: undefined }
  const { status, body } = await tenant.send({ ...parts, variables: { other: 'x' } })
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(body.errors).toEqual([
    { pointer: '/variables/other', detail: 'is not a variable of the template' },
    { pointer: '/variables/name', detail: 'is required' },
  ])
  expect(await listQueued(tenant.id)).toEqual([])
})

test('takes no template that is unknown, deleted, of another unit, channel or tenant', async () => {
  const tenant = world.tenant()
  const deleted = (await tenant.template()).body.id
  await tenant.delete(`/v1/communication/templates/${deleted}`).expect(204)
  const ofOtherUnit = (await tenant.template({ business_unit_id: tenant.addUnit() })).body.id
  const ofOtherChannel = (await tenant.template({ communication_type: 'SMS', subject: null, html: null })).body.id
  const ofOtherTenant = (await world.tenant().template()).body.id
  for (const id of [randomUUID(), deleted, ofOtherUnit, ofOtherChannel, ofOtherTenant]) {
    const parts = { template_id: id, variables: { name: 'x' }, subject: undefined, text: undefined }
    const { status, body } = await tenant.send(parts)
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'template_unusable', '/template_id'])
  }
  expect(await listQueued(tenant.id)).toEqual([])
})

test('sends for no unknown unit, no unit of another tenant and no deleted one', async () => {
  const tenant = world.tenant()
  const codes: unknown[] = []
  for (const unit of [randomUUID(), world.tenant().unitId, tenant.addUnit({ status: 'deleted' })]) {
    const { status, body } = await tenant.send({ business_unit_id: unit })
    codes.push([status, body.code])
  }
  expect(codes).toEqual([
    [404, 'business_unit_not_found'],
    [404, 'business_unit_not_found'],
    [409, 'business_unit_deleted'],
  ])
  expect(await listQueued(tenant.id)).toEqual([])
})

test('a repeated request gets its stored response after the deletion of the unit, another one is rejected', async () => {
  const tenant = world.tenant()
  const send = (key: string) => tenant.send({}, { 'Idempotency-Key': key })
  const first = await send('one')
  await world.rows(
    `UPDATE business_unit_copies SET business_unit = business_unit || '{"status": "deleted"}' WHERE business_unit_id = $1::uuid`,
    tenant.unitId,
  )
  const again = await send('one')
  expect([again.status, again.body]).toEqual([202, first.body])
  const other = await send('two')
  expect([other.status, other.body.code]).toEqual([409, 'business_unit_deleted'])
  expect(await listQueued(tenant.id)).toHaveLength(1)
})

test('queues one message for ten requests at once with one Idempotency-Key', async () => {
  const tenant = world.tenant()
  const send = () => tenant.send({}, { 'Idempotency-Key': 'one' })
  const replies = await Promise.all(Array.from({ length: 10 }, send))
  const { body: last, status } = await send()
  expect(status).toBe(202)
  for (const reply of replies) {
    if (reply.status === 202) expect(reply.body).toEqual(last)
    else expect(reply.body.code).toBe('idempotency_key_in_use')
  }
  expect(await listQueued(tenant.id)).toHaveLength(1)
  const reused = await tenant.send({ text: 'Other' }, { 'Idempotency-Key': 'one' })
  expect(reused.body.code).toBe('idempotency_key_reused')
})
