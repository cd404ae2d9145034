import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  authInfoBody,
  basic,
  configs,
  createdAuthInfo,
  headers,
  inHeader,
  listRows,
  masked,
  oauth,
  path,
  publicNames,
  types,
} from './auth-info-world.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(publicNames)
})
afterAll(() => world.stop())

test.each(types)('returns %s with every credential masked, and stores none in plaintext', async (type) => {
  const { tenantId, tenant, path: own } = await createdAuthInfo(world, type)
  const times = { created_at: expect.any(String), updated_at: expect.any(String) }
  const unused = { subscription_ids: [], subscription_count: 0 }
  const expected = {
    id: expect.any(String),
    name: 'Ledger',
    type,
    config: masked[type],
    hosts: [],
    ...times,
    ...unused,
  }
  const { body } = await tenant.get(own)
  expect(body).toEqual(expected)
  expect((await tenant.get(path)).body).toEqual({ data: [body], next_cursor: null })
  const [row] = await listRows(world, tenantId)
  expect(Buffer.from(row?.configEncrypted ?? []).includes('secret')).toBe(false)
  expect(JSON.stringify({ ...row, configEncrypted: null })).not.toMatch(/secret(?!")/)
})

test.each([
  [{ ...authInfoBody('basic'), type: 'digest' }, '/type'],
  [{ ...authInfoBody('basic'), config: configs.custom_headers }, '/config/username'],
  [{ ...authInfoBody('basic'), config: { ...configs.basic, realm: 'x' } }, '/config/realm'],
  [basic({ username: 'a:b' }), '/config/username'],
  [basic({ password: 'a\u0007' }), '/config/password'],
  [basic({ password: '…' }), '/config/password'],
  [headers({}), '/config/headers'],
  [headers({ 'X Key': 'v' }), '/config/headers/X Key'],
  [headers({ 'X-Key': 'a\r\nHost: evil' }), '/config/headers/X-Key'],
  [headers({ 'X-Key': 'a\0' }), '/config/headers/X-Key'],
  [headers({ 'X-Key': 'žluť' }), '/config/headers/X-Key'],
  [headers({ 'X-Key': ' v' }), '/config/headers/X-Key'],
  [headers({ 'X-Key': 'v', 'x-key': 'w' }), '/config/headers/x-key'],
  [headers({ 'X-Key': 'x'.repeat(4097) }), '/config/headers/X-Key'],
  [headers(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`X-${i}`, 'v']))), '/config/headers'],
  [headers(Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`X-${i}`, 'v'.repeat(4000)]))), '/config/headers'],
  [inHeader({ location: 'cookie' }), '/config/location'],
  [inHeader({ name: 'X:Key' }), '/config/name'],
  [inHeader({ prefix: 'Bear\ner ' }), '/config/prefix'],
  [oauth({ client_secret: 'ž' }), '/config/client_secret'],
  [oauth({ scope: 'a  b' }), '/config/scope'],
])('rejects %j as malformed, names the field, and stores nothing', async (body, pointer) => {
  const tenantId = randomUUID()
  const reply = await world.asTenant(tenantId).post(path, body)
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  expect(reply.text).not.toContain('p-secret')
  expect(await listRows(world, tenantId)).toEqual([])
})

const names = ['Host', 'CONTENT-LENGTH', 'content-type', 'Transfer-Encoding', 'connection', 'Trace-ID', 'user-agent']
test.each([...names, 'traceparent', 'Webhook-Signature', 'webhook-x', 'Upgrade', 'TE', 'Keep-Alive', 'Expect'])(
  'rejects the header %s, as a custom header and as the location of an API credential',
  async (name) => {
    const tenantId = randomUUID()
    for (const [body, pointer] of [
      [headers({ 'X-Good': 'v', [name]: 'v' }), `/config/headers/${name}`],
      [inHeader({ name }), '/config/name'],
    ] as const) {
      const reply = await world.asTenant(tenantId).post(path, body)
      expect([reply.status, reply.body.code]).toEqual([422, 'header_not_allowed'])
      expect(reply.body.errors).toEqual([{ pointer, detail: expect.any(String) }])
    }
    expect(await listRows(world, tenantId)).toEqual([])
  },
)

test.each([
  ['http://id.example.com/token', 'https'],
  ['https://127.0.0.1/token', 'IP address'],
  ['https://inner.example.com/token', 'an address that is not public'],
  ['https://id.internal/token', 'public host'],
  ['https://ID.TEST/token', 'public host'],
])('applies the rules of destinations to a token_url: %s', async (token_url, why) => {
  const tenantId = randomUUID()
  const reply = await world.asTenant(tenantId).post(path, oauth({ token_url }))
  expect([reply.status, reply.body.code]).toEqual([422, 'destination_not_allowed'])
  expect(reply.body.errors).toEqual([{ pointer: '/config/token_url', detail: expect.stringContaining(why) }])
  expect(await listRows(world, tenantId)).toEqual([])
})

test('creates one auth info per Idempotency-Key, and the stored response contains no credential', async () => {
  const [tenantId, idempotent] = [randomUUID(), { 'Idempotency-Key': randomUUID() }]
  const tenant = world.asTenant(tenantId)
  const first = await tenant.post(path, authInfoBody('basic'), idempotent)
  const again = await world.asTenant(tenantId).post(path, authInfoBody('basic'), idempotent)
  expect(again.text).not.toContain('p-secret')
  expect(again.body).toEqual(first.body)
  expect(again.headers['idempotent-replayed']).toBe('true')
  const [key] = await world.db.inTenant(tenantId, (tx) => tx.idempotencyKey.findMany())
  expect(JSON.stringify(key)).not.toContain('p-secret')
})

test('ten requests at once do not exceed the quota of the tenant', async () => {
  const tenantId = randomUUID()
  const seed = { tenantId, name: 'a', type: 'basic' as const, configEncrypted: Buffer.from('x'), configMasked: {} }
  const data = Array.from({ length: 95 }, () => ({ ...seed, id: randomUUID() }))
  await world.db.inTenant(tenantId, (tx) => tx.authInfo.createMany({ data }))
  const tenant = world.asTenant(tenantId)
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.post(path, authInfoBody('basic'))))
  const codes = replies.map((reply) => reply.body.code ?? reply.status)
  expect(codes.filter((code) => code === 201)).toHaveLength(5)
  expect(codes.filter((code) => code === 'too_many_auth_infos')).toHaveLength(5)
})
