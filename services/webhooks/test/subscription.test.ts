import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, subscribe, type World } from './world.ts'

/** The addresses of names, when not a public address. */
const leads: Record<string, string[]> = {}

let world: World
beforeAll(async () => {
  world = await startWorld({ allowPrivate: false, lookup: async (host) => leads[host] ?? ['93.184.215.14'] })
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'
const unitPath = (unitId: string = randomUUID()) => `/v1/webhooks/${unitId}/webhooks`
const rowsOf = (tenantId: string) => world.db.inTenant(tenantId, (tx) => tx.subscription.findMany())

describe('createSubscription', () => {
  test('returns the subscription with a masked secret, and stores no secret in plaintext', async () => {
    const [tenantId, unitId] = [randomUUID(), randomUUID()]
    const reply = await world.asTenant(tenantId).post(unitPath(unitId), {
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
    const revealed = await world.asTenant(tenantId).get(`${unitPath(unitId)}/${reply.body.id}/reveal`)
    const [row] = await rowsOf(tenantId)
    expect(Buffer.from(row?.secretEncrypted ?? []).includes(revealed.body.secret.slice(6, 20))).toBe(false)
    expect(JSON.stringify({ ...row, secretEncrypted: null })).not.toContain(revealed.body.secret)
  })

  test.each([[undefined], [null]])('event_types %j matches every type', async (event_types) => {
    const reply = await world.asTenant(randomUUID()).post(unitPath(), { destination_url: url, event_types })
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
    const tenantId = randomUUID()
    const reply = await world.asTenant(tenantId).post(unitPath(), body)
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
    expect(await rowsOf(tenantId)).toEqual([])
  })

  test.each([
    [{ destination_url: 'http://example.com' }, 'destination_not_allowed', '/destination_url'],
    [{ destination_url: 'https://10.0.0.1/' }, 'destination_not_allowed', '/destination_url'],
    [{ destination_url: url, event_types: ['api-key.*', 'nope'] }, 'unknown_event_type', '/event_types/1'],
    [{ destination_url: url, webhook_auth_info_id: randomUUID() }, 'unknown_auth_info', '/webhook_auth_info_id'],
  ])('rejects %j as impossible and stores nothing', async (body, code, pointer) => {
    const tenantId = randomUUID()
    const reply = await world.asTenant(tenantId).post(unitPath(), body)
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([422, code, pointer])
    expect(await rowsOf(tenantId)).toEqual([])
  })

  test('rejects a name with a private address on create and update, without naming the address', async () => {
    leads['inner.example.com'] = ['8.8.8.8', '10.0.0.7']
    const destination_url = 'https://inner.example.com/'
    const { tenantId, tenant, path } = await subscribe(world, url)
    const before = await rowsOf(tenantId)
    for (const reply of [
      await tenant.post(unitPath(), { destination_url }),
      await tenant.put(path, { destination_url }),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([422, 'destination_not_allowed'])
      expect(reply.body.errors).toEqual([{ pointer: '/destination_url', detail: reply.body.detail }])
      expect(reply.body.detail).toBe('the host resolves to an address that is not public')
      expect(reply.text).not.toContain('10.0.0.7')
    }
    expect(await rowsOf(tenantId)).toEqual(before)
  })

  test('returns the same response for the same Idempotency-Key after the name resolves to another address', async () => {
    const [path, headers, body] = [
      unitPath(),
      { 'Idempotency-Key': randomUUID() },
      { destination_url: 'https://flips.example.com/' },
    ]
    const tenant = world.asTenant(randomUUID())
    const first = await tenant.post(path, body, headers)
    leads['flips.example.com'] = ['127.0.0.1']
    const again = await tenant.post(path, body, headers)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await tenant.post(path, body)).status).toBe(422)
  })

  test('rejects an unknown event type and lists the known ones', async () => {
    const body = { destination_url: url, event_types: ['payment-proxy.transaction.capture'] }
    const reply = await world.asTenant(randomUUID()).post(unitPath(), body)
    expect(reply.body.known_event_types).toEqual(
      expect.arrayContaining(['payment-proxy.transactions.capture', 'invite-to-pay.codes.create', 'webhooks.test']),
    )
  })

  test('ten requests at once do not exceed the quota of the business unit', async () => {
    const [tenantId, unitId] = [randomUUID(), randomUUID()]
    const seed = { tenantId, businessUnitId: unitId, destinationUrl: url, eventTypes: [], secretMasked: 'whsec_…' }
    const data = Array.from({ length: 95 }, () => ({ ...seed, id: randomUUID() }))
    await world.db.inTenant(tenantId, (tx) => tx.subscription.createMany({ data }))
    const tenant = world.asTenant(tenantId)
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => tenant.post(unitPath(unitId), { destination_url: url })),
    )
    const codes = replies.map((reply) => reply.body.code ?? reply.status)
    expect(codes.filter((code) => code === 201)).toHaveLength(5)
    expect(codes.filter((code) => code === 'too_many_subscriptions')).toHaveLength(5)
    expect((await tenant.post(unitPath(), { destination_url: url })).status).toBe(201)
  })

  test('creates one subscription per Idempotency-Key', async () => {
    const [tenantId, path, headers] = [randomUUID(), unitPath(), { 'Idempotency-Key': randomUUID() }]
    const tenant = world.asTenant(tenantId)
    const first = await tenant.post(path, { destination_url: url }, headers)
    const again = await tenant.post(path, { destination_url: url }, headers)
    const other = await tenant.post(path, { destination_url: `${url}/2` }, headers)
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect(await rowsOf(tenantId)).toHaveLength(1)
  })

  test('requires webhook:CreateSubscription', async () => {
    const reply = await world
      .asTenant(randomUUID(), ['webhook:ReadSubscription'])
      .post(unitPath(), { destination_url: url })
    expect([reply.status, reply.body.code]).toEqual([403, 'permission_denied'])
  })
})

describe('listSubscriptions', () => {
  test('returns pages of one business unit, newest first', async () => {
    const { tenantId, unitId, tenant, id } = await subscribe(world, url)
    const second = await subscribe(world, url, { tenantId, unitId })
    await subscribe(world, url, { tenantId })
    const first = await tenant.get(`${unitPath(unitId)}?limit=1`)
    const rest = await tenant.get(`${unitPath(unitId)}?limit=1&cursor=${first.body.next_cursor}`)
    expect([first.body.data[0].id, rest.body.data[0].id, rest.body.next_cursor]).toEqual([second.id, id, null])
    expect(first.body.data[0].secret).toMatch(/^whsec_…/)
  })
})

describe('readSubscription, updateSubscription, deleteSubscription', () => {
  test('return the same 404 for a subscription of another tenant, of another unit, and a missing one, and change nothing', async () => {
    const { id, unitId, tenant, tenantId } = await subscribe(world, url)
    const stranger = world.asTenant(randomUUID())
    const paths = [`${unitPath(unitId)}/${id}`, `${unitPath(unitId)}/${randomUUID()}`]
    const replies = [
      ...(await Promise.all(paths.map((path) => stranger.get(path)))),
      ...(await Promise.all(paths.map((path) => stranger.get(`${path}/reveal`)))),
      ...(await Promise.all(paths.map((path) => stranger.put(path, { label: 'x' })))),
      ...(await Promise.all(paths.map((path) => stranger.delete(path)))),
      await tenant.get(`${unitPath()}/${id}`),
      await tenant.delete(`${unitPath()}/${id}`),
    ]
    const bodies = replies.map((reply) => JSON.stringify({ ...reply.body, trace_id: '' }))
    expect(new Set(bodies).size).toBe(1)
    expect(replies[0]?.body.code).toBe('subscription_not_found')
    expect((await rowsOf(tenantId))[0]).toMatchObject({ label: null, deletedAt: null })
  })

  test('update replaces only the given fields', async () => {
    const { tenant, path } = await subscribe(world, url, { event_types: ['api-key.*'] })
    const before = await tenant.get(path)
    const renamed = await tenant.put(path, { label: 'New' })
    expect(renamed.body).toEqual({ ...before.body, label: 'New', updated_at: expect.any(String) })
    const widened = await tenant.put(path, { event_types: null, destination_url: `${url}/v2` })
    expect(widened.body).toMatchObject({ event_types: null, destination_url: `${url}/v2`, label: 'New' })
    expect((await tenant.get(path)).body).toEqual(widened.body)
  })

  test.each([
    [{}, 400],
    [{ event_types: [] }, 400],
    [{ destination_url: null }, 400],
    [{ id: randomUUID() }, 400],
    [{ destination_url: 'http://example.com' }, 422],
    [{ event_types: ['x.*'] }, 422],
    [{ webhook_auth_info_id: randomUUID() }, 422],
  ])('update rejects %j and changes nothing', async (body, status) => {
    const { tenant, path } = await subscribe(world, url)
    const before = await tenant.get(path)
    expect((await tenant.put(path, body)).status).toBe(status)
    expect((await tenant.get(path)).body).toEqual(before.body)
  })

  test('delete removes the subscription and its secret', async () => {
    const { tenant, tenantId, path } = await subscribe(world, url)
    expect((await tenant.delete(path)).status).toBe(204)
    expect((await tenant.get(path)).body.code).toBe('subscription_not_found')
    expect((await tenant.delete(path)).body.code).toBe('subscription_not_found')
    expect((await rowsOf(tenantId))[0]).toMatchObject({ secretEncrypted: null })
  })
})

describe('listEventTypes', () => {
  test('lists every type with description and payload schema', async () => {
    const reply = await world.asTenant(randomUUID()).get('/v1/webhooks/event-types')
    expect(reply.body.data).toContainEqual({
      name: 'api-key.keys.delete',
      description: expect.any(String),
      payload_schema: expect.objectContaining({ type: 'object', required: ['id', 'name', 'deleted_at'] }),
    })
    expect(reply.body.data.length).toBeGreaterThanOrEqual(30)
  })
})
