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

test('rejects a name with a private address, without naming the address', async () => {
  leads['inner.example.com'] = ['8.8.8.8', '10.0.0.7']
  const destination_url = 'https://inner.example.com/'
  const { tenantId, tenant, path } = await subscribe(world, url)
  const before = await listRows(tenantId)
  const reply = await tenant.put(path, { destination_url })
  expect([reply.status, reply.body.code]).toEqual([422, 'destination_not_allowed'])
  expect(reply.body.errors).toEqual([{ pointer: '/destination_url', detail: reply.body.detail }])
  expect(reply.body.detail).toBe('the host resolves to an address that is not public')
  expect(reply.text).not.toContain('10.0.0.7')
  expect(await listRows(tenantId)).toEqual(before)
})

test('a subscription cannot refer to a missing auth info or to one of another tenant', async () => {
  const foreign = await createdAuthInfo(world)
  const { tenantId, tenant, path } = await subscribe(world, url)
  const before = await listRows(tenantId)
  for (const webhook_auth_info_id of [foreign.id, randomUUID()]) {
    const reply = await tenant.put(path, { webhook_auth_info_id })
    expect([reply.status, reply.body.code]).toEqual([422, 'unknown_auth_info'])
    expect(reply.body.errors[0].pointer).toBe('/webhook_auth_info_id')
  }
  expect(await listRows(tenantId)).toEqual(before)
})

test('returns the same 404 for a subscription of another tenant, of another unit, and a missing one, and changes nothing', async () => {
  const { id, unitPath, tenant, tenantId } = await subscribe(world, url)
  const stranger = await tenantWithUnit(world)
  const sibling = await tenantWithUnit(world, tenantId)
  const missing = `${unitPath}/${randomUUID()}`
  const replies = [
    await tenant.get(missing),
    await tenant.put(missing, { label: 'x' }),
    await stranger.tenant.put(`${stranger.unitPath}/${id}`, { label: 'x' }),
    await stranger.tenant.put(`${stranger.unitPath}/${randomUUID()}`, { label: 'x' }),
    await tenant.put(`${sibling.unitPath}/${id}`, { label: 'x' }),
  ]
  const bodies = replies.map((reply) => JSON.stringify({ ...reply.body, trace_id: '' }))
  expect(new Set(bodies).size).toBe(1)
  expect([replies[0]?.status, replies[0]?.body.code]).toEqual([404, 'subscription_not_found'])
  expect((await listRows(tenantId))[0]).toMatchObject({ label: null, deletedAt: null })
})

test('rejects an unknown event type, names it and lists the known ones', async () => {
  const { tenant, path } = await subscribe(world, url)
  const reply = await tenant.put(path, { event_types: ['api-key.*', 'nope'] })
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([
    422,
    'unknown_event_type',
    '/event_types/1',
  ])
  expect(reply.body.known_event_types).toContain('webhooks.test')
})

test('of ten updates at once, each replaces only its field', async () => {
  const { tenant, path } = await subscribe(world, url)
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => tenant.put(path, i % 2 === 0 ? { label: 'New' } : { enabled: false })),
  )
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect((await tenant.get(path)).body).toMatchObject({ label: 'New', enabled: false, destination_url: url })
})
