import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createdAuthInfo } from './auth-info-world.ts'
import { startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

/** The addresses of names, when not a public address. */
const leads: Record<string, string[]> = {}

let world: World
beforeAll(async () => {
  world = await startWorld({ allowPrivate: false, lookup: async (host) => leads[host] ?? ['93.184.215.14'] })
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'
const listRows = (tenantId: string) => world.db.inTenant(tenantId, (tx) => tx.subscription.findMany())

test('returns the subscription with a masked secret, and stores no secret in plaintext', async () => {
  const { tenantId, unitId, tenant, unitPath } = await tenantWithUnit(world)
  const reply = await tenant.post(unitPath, {
    destination_url: url,
    label: 'Ledger',
    event_types: ['api-key.*', 'payment-proxy.transactions.refund'],
  })
  expect(reply.status).toBe(201)
  expect(reply.body).toEqual({
    id: expect.any(String),
    business_unit_id: unitId,
    destination_url: url,
    label: 'Ledger',
    event_types: ['api-key.*', 'payment-proxy.transactions.refund'],
    webhook_auth_info_id: null,
    enabled: true,
    secret: expect.stringMatching(/^whsec_….{4}$/),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  const revealed = await tenant.get(`${unitPath}/${reply.body.id}/reveal`)
  const [row] = await listRows(tenantId)
  expect(Buffer.from(row?.secretEncrypted ?? []).includes(revealed.body.secret.slice(6, 20))).toBe(false)
  expect(JSON.stringify({ ...row, secretEncrypted: null })).not.toContain(revealed.body.secret)
})

test.each([[undefined], [null]])('event_types %j matches every type', async (event_types) => {
  const { tenant, unitPath } = await tenantWithUnit(world)
  const reply = await tenant.post(unitPath, { destination_url: url, event_types })
  expect([reply.status, reply.body.event_types]).toEqual([201, null])
})

test.each([
  [{}, '/destination_url'],
  [{ destination_url: 7 }, '/destination_url'],
  [{ destination_url: `https://example.com/${'x'.repeat(2048)}` }, '/destination_url'],
  [{ destination_url: url, event_types: [] }, '/event_types'],
  [{ destination_url: url, event_types: 'all' }, '/event_types'],
  [{ destination_url: url, label: '' }, '/label'],
  [{ destination_url: url, label: 'a\u0000' }, '/label'],
  [{ destination_url: url, webhook_auth_info_id: 'x' }, '/webhook_auth_info_id'],
  [{ destination_url: url, secret: 'mine' }, '/secret'],
])('rejects %j as malformed, names the field, and stores nothing', async (body, pointer) => {
  const { tenantId, tenant, unitPath } = await tenantWithUnit(world)
  const reply = await tenant.post(unitPath, body)
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  expect(await listRows(tenantId)).toEqual([])
})

test.each([
  [{ destination_url: 'http://example.com' }, 'destination_not_allowed', '/destination_url'],
  [{ destination_url: 'https://10.0.0.1/' }, 'destination_not_allowed', '/destination_url'],
  [{ destination_url: url, event_types: ['api-key.*', 'nope'] }, 'unknown_event_type', '/event_types/1'],
  [{ destination_url: url, webhook_auth_info_id: randomUUID() }, 'unknown_auth_info', '/webhook_auth_info_id'],
])('rejects %j as impossible and stores nothing', async (body, code, pointer) => {
  const { tenantId, tenant, unitPath } = await tenantWithUnit(world)
  const reply = await tenant.post(unitPath, body)
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([422, code, pointer])
  expect(await listRows(tenantId)).toEqual([])
})

test('rejects a name with a private address, without naming the address', async () => {
  leads['inner.example.com'] = ['8.8.8.8', '10.0.0.7']
  const destination_url = 'https://inner.example.com/'
  const { tenantId, tenant, unitPath } = await subscribe(world, url)
  const before = await listRows(tenantId)
  const reply = await tenant.post(unitPath, { destination_url })
  expect([reply.status, reply.body.code]).toEqual([422, 'destination_not_allowed'])
  expect(reply.body.errors).toEqual([{ pointer: '/destination_url', detail: reply.body.detail }])
  expect(reply.body.detail).toBe('the host resolves to an address that is not public')
  expect(reply.text).not.toContain('10.0.0.7')
  expect(await listRows(tenantId)).toEqual(before)
})

test('a subscription cannot refer to a missing auth info or to one of another tenant', async () => {
  const foreign = await createdAuthInfo(world)
  const { tenantId, tenant, unitPath } = await subscribe(world, url)
  const before = await listRows(tenantId)
  for (const webhook_auth_info_id of [foreign.id, randomUUID()]) {
    const reply = await tenant.post(unitPath, { destination_url: url, webhook_auth_info_id })
    expect([reply.status, reply.body.code]).toEqual([422, 'unknown_auth_info'])
    expect(reply.body.errors[0].pointer).toBe('/webhook_auth_info_id')
  }
  expect(await listRows(tenantId)).toEqual(before)
})

test('returns the same response for the same Idempotency-Key after the name resolves to another address', async () => {
  const [headers, body] = [{ 'Idempotency-Key': randomUUID() }, { destination_url: 'https://flips.example.com/' }]
  const { tenant, unitPath: path } = await tenantWithUnit(world)
  const first = await tenant.post(path, body, headers)
  leads['flips.example.com'] = ['127.0.0.1']
  const again = await tenant.post(path, body, headers)
  expect([again.status, again.body]).toEqual([201, first.body])
  expect((await tenant.post(path, body)).status).toBe(422)
})

test('rejects an unknown event type and lists the known ones', async () => {
  const body = { destination_url: url, event_types: ['payment-proxy.transaction.capture'] }
  const { tenant, unitPath } = await tenantWithUnit(world)
  const reply = await tenant.post(unitPath, body)
  expect(reply.body.known_event_types).toEqual(
    expect.arrayContaining(['payment-proxy.transactions.capture', 'invite-to-pay.codes.create', 'webhooks.test']),
  )
})

test('ten requests at once do not exceed the quota of the business unit', async () => {
  const { tenantId, unitId, tenant, unitPath } = await tenantWithUnit(world)
  const seed = { tenantId, businessUnitId: unitId, destinationUrl: url, eventTypes: [], secretMasked: 'whsec_…' }
  const data = Array.from({ length: 95 }, () => ({ ...seed, id: randomUUID() }))
  await world.db.inTenant(tenantId, (tx) => tx.subscription.createMany({ data }))
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.post(unitPath, { destination_url: url })))
  const codes = replies.map((reply) => reply.body.code ?? reply.status)
  expect(codes.filter((code) => code === 201)).toHaveLength(5)
  expect(codes.filter((code) => code === 'too_many_subscriptions')).toHaveLength(5)
  const sibling = await tenantWithUnit(world, tenantId)
  expect((await tenant.post(sibling.unitPath, { destination_url: url })).status).toBe(201)
})

test('creates one subscription per Idempotency-Key', async () => {
  const headers = { 'Idempotency-Key': randomUUID() }
  const { tenantId, tenant, unitPath: path } = await tenantWithUnit(world)
  const first = await tenant.post(path, { destination_url: url }, headers)
  const again = await world.asTenant(tenantId).post(path, { destination_url: url }, headers)
  const other = await tenant.post(path, { destination_url: `${url}/2` }, headers)
  expect(again.body).toEqual(first.body)
  expect(again.body.secret).toMatch(/^whsec_….{4}$/)
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  expect(await listRows(tenantId)).toHaveLength(1)
})

test('requires webhook:CreateSubscription', async () => {
  const { tenantId, unitPath } = await tenantWithUnit(world)
  const reply = await world.asTenant(tenantId, ['webhook:ReadSubscription']).post(unitPath, { destination_url: url })
  expect([reply.status, reply.body.code]).toEqual([403, 'permission_denied'])
})

test.each([
  'https://*.example.com/',
  'https://hooks.example.com,attacker.example.net/',
  "https://hooks.example.com;'none'/",
  'https://hooks.example.com%2c/',
])('rejects %s, whose host can be read as another one', async (destination_url) => {
  const { tenantId, tenant, unitPath } = await tenantWithUnit(world)
  const { status, body } = await tenant.post(unitPath, { destination_url })
  expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', '/destination_url'])
  expect(await listRows(tenantId)).toEqual([])
})
