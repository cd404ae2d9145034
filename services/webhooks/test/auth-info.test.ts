import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/permission'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({
    allowPrivate: false,
    lookup: async (host) => [host.startsWith('inner.') ? '10.0.0.7' : '8.8.8.8'],
  })
})
afterAll(() => world.stop())

const path = '/v1/webhooks/auth-info'
const configs = {
  custom_headers: { headers: { 'X-Api-Key': 'k-4711-secret', 'X-Tenant': 'acme-secret' } },
  basic: { username: 'payments', password: 'p-secret:with colon' },
  api_credential: { location: 'query', name: 'api_key', value: 'v-secret', prefix: 'live_' },
  oauth2_client_credentials: {
    token_url: 'https://id.example.com/token',
    client_id: 'payments',
    client_secret: 'c-secret',
    scope: 'hooks:write',
  },
} as const
type Type = keyof typeof configs
const types = Object.keys(configs) as Type[]
const masked: Record<Type, object> = {
  custom_headers: { headers: { 'X-Api-Key': '…', 'X-Tenant': '…' } },
  basic: { ...configs.basic, password: '…' },
  api_credential: { ...configs.api_credential, value: '…' },
  oauth2_client_credentials: { ...configs.oauth2_client_credentials, client_secret: '…' },
}
const bodyOf = (type: Type) => ({ name: 'Ledger', type, config: configs[type] })
const rowsOf = (tenantId: string) => world.db.inTenant(tenantId, (tx) => tx.authInfo.findMany())

async function createdAuthInfo(type: Type = 'basic', tenantId: string = randomUUID()) {
  const tenant = world.asTenant(tenantId)
  const { body, status } = await tenant.post(path, bodyOf(type))
  expect(status).toBe(201)
  return { tenantId, tenant, id: body.id as string, path: `${path}/${body.id}` }
}

describe('createAuthInfo', () => {
  test.each(types)('returns %s with every credential masked, and stores none in plaintext', async (type) => {
    const { tenantId, tenant, path: own } = await createdAuthInfo(type)
    const times = { created_at: expect.any(String), updated_at: expect.any(String) }
    const expected = { id: expect.any(String), name: 'Ledger', type, config: masked[type], hosts: [], ...times }
    const { body } = await tenant.get(own)
    expect(body).toEqual(expected)
    expect((await tenant.get(path)).body).toEqual({ data: [body], next_cursor: null })
    const [row] = await rowsOf(tenantId)
    expect(Buffer.from(row?.configEncrypted ?? []).includes('secret')).toBe(false)
    expect(JSON.stringify({ ...row, configEncrypted: null })).not.toMatch(/secret(?!")/)
  })

  const headers = (given: Record<string, unknown>) => ({
    name: 'a',
    type: 'custom_headers',
    config: { headers: given },
  })
  const inHeader = (given: object) => ({
    name: 'a',
    type: 'api_credential',
    config: { location: 'header', name: 'X-Key', value: 'v', ...given },
  })
  const basic = (given: object) => ({ name: 'a', type: 'basic', config: { ...configs.basic, ...given } })
  const oauth = (given: object) => ({
    name: 'a',
    type: 'oauth2_client_credentials',
    config: { ...configs.oauth2_client_credentials, ...given },
  })

  test.each([
    [{ ...bodyOf('basic'), type: 'digest' }, '/type'],
    [{ ...bodyOf('basic'), config: configs.custom_headers }, '/config/username'],
    [{ ...bodyOf('basic'), config: { ...configs.basic, realm: 'x' } }, '/config/realm'],
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
    expect(await rowsOf(tenantId)).toEqual([])
  })

  const names = ['Host', 'CONTENT-LENGTH', 'content-type', 'Transfer-Encoding', 'connection', 'Trace-ID', 'user-agent']
  test.each([...names, 'Webhook-Signature', 'webhook-anything', 'Upgrade', 'TE', 'Keep-Alive', 'Expect'])(
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
      expect(await rowsOf(tenantId)).toEqual([])
    },
  )

  test.each([
    ['http://id.example.com/token', 'https'],
    ['https://127.0.0.1/token', 'IP address'],
    ['https://inner.example.com/token', 'an address that is not public'],
    ['https://id.internal/token', 'public host'],
    ['https://ID.TEST./token', 'public host'],
  ])('applies the rules of destinations to a token_url: %s', async (token_url, why) => {
    const tenantId = randomUUID()
    const reply = await world.asTenant(tenantId).post(path, oauth({ token_url }))
    expect([reply.status, reply.body.code]).toEqual([422, 'destination_not_allowed'])
    expect(reply.body.errors).toEqual([{ pointer: '/config/token_url', detail: expect.stringContaining(why) }])
    expect(await rowsOf(tenantId)).toEqual([])
  })

  test('creates one auth info per Idempotency-Key, and the stored response contains no credential', async () => {
    const [tenantId, headers] = [randomUUID(), { 'Idempotency-Key': randomUUID() }]
    const tenant = world.asTenant(tenantId)
    const first = await tenant.post(path, bodyOf('basic'), headers)
    const again = await tenant.post(path, bodyOf('basic'), headers)
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
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.post(path, bodyOf('basic'))))
    const codes = replies.map((reply) => reply.body.code ?? reply.status)
    expect(codes.filter((code) => code === 201)).toHaveLength(5)
    expect(codes.filter((code) => code === 'too_many_auth_infos')).toHaveLength(5)
  })
})

describe('revealAuthInfo', () => {
  test.each(types)('reveals %s unmasked, with Cache-Control no-store', async (type) => {
    const { tenant, path: own } = await createdAuthInfo(type)
    const reply = await tenant.get(`${own}/reveal`)
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(reply.body).toMatchObject({ type, config: configs[type] })
  })

  test('shares the limit of all reveals, and counts reveals that found nothing', async () => {
    const { tenantId, path: own } = await createdAuthInfo()
    const actor = world.asTenant(tenantId, permissionNames, randomUUID())
    for (let i = 0; i < 4; i += 1) expect((await actor.get(`${path}/${randomUUID()}/reveal`)).status).toBe(404)
    expect((await actor.get(`${own}/reveal`)).status).toBe(200)
    const rejected = await actor.get(`${own}/reveal`)
    expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
  })

  test('a config moved to another auth info cannot be decrypted', async () => {
    const one = await createdAuthInfo()
    const two = await createdAuthInfo('basic', one.tenantId)
    await world.db.inTenant(one.tenantId, async (tx) => {
      const row = await tx.authInfo.findFirstOrThrow({ where: { id: one.id } })
      await tx.authInfo.update({ where: { id: two.id }, data: { configEncrypted: row.configEncrypted } })
    })
    const reply = await two.tenant.get(`${two.path}/reveal`)
    expect(reply.status).toBe(500)
    expect(reply.text).not.toContain('secret')
  })
})

describe('updateAuthInfo', () => {
  test('replaces the given fields, and a new config increments the version', async () => {
    const { tenantId, tenant, path: own } = await createdAuthInfo('basic')
    const renamed = await tenant.put(own, { name: 'Till' })
    expect(renamed.body).toMatchObject({ name: 'Till', type: 'basic', config: masked.basic })
    expect((await rowsOf(tenantId))[0]?.version).toBe(1)
    const password = await tenant.put(own, { config: { username: 'payments', password: 'another' } })
    expect(password.body).toMatchObject({ name: 'Till', config: masked.basic })
    expect((await tenant.get(`${own}/reveal`)).body.config.password).toBe('another')
    const { type, config } = bodyOf('custom_headers')
    expect((await tenant.put(own, { type, config })).body).toMatchObject({ type, config: masked.custom_headers })
    expect((await tenant.get(`${own}/reveal`)).body.config).toEqual(config)
    expect((await rowsOf(tenantId))[0]?.version).toBe(3)
  })

  test.each([
    [{}, ''],
    [{ type: 'custom_headers' }, '/config'],
    [{ config: configs.custom_headers }, '/config'],
    [{ config: {} }, '/config'],
    [{ type: 'basic', config: configs.custom_headers }, '/config/username'],
    [{ config: { username: 'a', password: '…' } }, '/config/password'],
  ])('rejects %j for type basic and changes nothing', async (body, pointer) => {
    const { tenantId, tenant, path: own } = await createdAuthInfo('basic')
    const before = await rowsOf(tenantId)
    const reply = await tenant.put(own, body)
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.errors[0].pointer).toBe(pointer)
    expect(await rowsOf(tenantId)).toEqual(before)
  })

  test('returns 404 for an auth info of another tenant, and leaves it unchanged', async () => {
    const { tenantId, path: own } = await createdAuthInfo()
    const before = await rowsOf(tenantId)
    const stranger = world.asTenant(randomUUID())
    const replies = [
      await stranger.get(own),
      await stranger.get(`${own}/reveal`),
      await stranger.put(own, { name: 'mine' }),
      await stranger.delete(own),
    ]
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual(
      replies.map(() => [404, 'auth_info_not_found']),
    )
    expect(await rowsOf(tenantId)).toEqual(before)
  })
})

describe('deleteAuthInfo', () => {
  const destination_url = 'https://hooks.example.com/'
  const unit = `/v1/webhooks/${randomUUID()}/webhooks`

  test('rejects the deletion while a subscription refers to the auth info', async () => {
    const { tenant, id, path: own } = await createdAuthInfo()
    const created = await tenant.post(unit, { destination_url, webhook_auth_info_id: id })
    expect([created.status, created.body.webhook_auth_info_id]).toEqual([201, id])
    const rejected = await tenant.delete(own)
    expect([rejected.status, rejected.body.code]).toEqual([409, 'auth_info_in_use'])
    const released = await tenant.put(`${unit}/${created.body.id}`, { webhook_auth_info_id: null })
    expect([released.status, released.body.webhook_auth_info_id]).toEqual([200, null])
    expect((await tenant.delete(own)).status).toBe(204)
    expect((await tenant.get(own)).status).toBe(404)
    expect((await tenant.delete(own)).status).toBe(404)
  })

  test('ignores references of deleted subscriptions', async () => {
    const { tenant, id, path: own } = await createdAuthInfo()
    const created = await tenant.post(unit, { destination_url, webhook_auth_info_id: id })
    await tenant.delete(`${unit}/${created.body.id}`)
    expect((await tenant.delete(own)).status).toBe(204)
  })

  test('a subscription cannot refer to a missing auth info or to one of another tenant', async () => {
    const foreign = await createdAuthInfo()
    const tenant = world.asTenant(randomUUID())
    const { body: own } = await tenant.post(unit, { destination_url })
    for (const webhook_auth_info_id of [foreign.id, randomUUID()]) {
      for (const reply of [
        await tenant.post(unit, { destination_url, webhook_auth_info_id }),
        await tenant.put(`${unit}/${own.id}`, { webhook_auth_info_id }),
      ]) {
        expect([reply.status, reply.body.code]).toEqual([422, 'unknown_auth_info'])
        expect(reply.body.errors[0].pointer).toBe('/webhook_auth_info_id')
      }
    }
  })

  test('ten requests at once never both delete the auth info and refer to it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { tenantId, tenant, id, path: own } = await createdAuthInfo()
      const { body: other } = await tenant.post(unit, { destination_url })
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) => {
          if (i % 2 === 0) return tenant.delete(own)
          if (i % 4 === 1) return tenant.post(unit, { destination_url, webhook_auth_info_id: id })
          return tenant.put(`${unit}/${other.id}`, { webhook_auth_info_id: id })
        }),
      )
      const where = { webhookAuthInfoId: id, deletedAt: null }
      const used = await world.db.inTenant(tenantId, (tx) => tx.subscription.count({ where }))
      const isThere = (await rowsOf(tenantId)).length === 1
      expect({ isThere, used: used > 0 }).toEqual({ isThere, used: isThere })
      expect(replies.filter(({ status }) => status === 204)).toHaveLength(isThere ? 0 : 1)
    }
  })
})
