import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const past = '2020-01-01T00:00:00.000Z'
const soon = '2998-01-01T00:00:00.000Z'
const later = '2999-01-01T00:00:00.000Z'

async function keyWith(tenant: TestTenant, permissions: readonly Permission[], body: object = {}) {
  const { body: key } = await tenant.by().create(body)
  const assigned = await tenant.by().assign(key.id, [await tenant.role(permissions)])
  expect(assigned.status).toBe(200)
  return assigned.body as { id: string; role_ids: string[]; updated_at: string }
}

describe('updateKey', () => {
  test('rotates and changes a key without roles for its creator, and for no weaker caller', async () => {
    const tenant = await world.tenant()
    const creator = tenant.by(['apikey:CreateKey', 'apikey:RotateKey', 'apikey:UpdateKey'])
    const { body: created } = await creator.create({ allowed_cidrs: ['10.0.0.0/8'] })
    const weaker = tenant.by(['apikey:RotateKey', 'apikey:UpdateKey'])
    for (const reply of [await weaker.rotate(created.id, 60), await weaker.update(created.id, { allowed_cidrs: null })])
      expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect((await creator.update(created.id, { allowed_cidrs: null })).status).toBe(200)
    expect((await creator.rotate(created.id, 60)).status).toBe(200)
  })

  test('changes the given fields only, and emits an event', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: created } = await user.create({ name: 'one', description: 'first' })
    const reply = await user.update(created.id, { name: 'two', enabled: false, expires_at: later })
    expect(reply.status).toBe(200)
    const masked = { ...created, value: `psk_dev_…${created.value.slice(-4)}` }
    const changed = { ...masked, name: 'two', enabled: false, expires_at: later, updated_at: reply.body.updated_at }
    expect(reply.body).toEqual(changed)
    expect((await user.read(created.id)).body).toEqual(changed)
    const { id, updated_at } = reply.body
    const [, event] = await tenant.events()
    expect(event).toMatchObject({
      type: 'api-key.keys.update',
      payload: { id, name: 'two', description: 'first', enabled: false, expires_at: later, updated_at },
    })
    expect((await user.update(created.id, { expires_at: null })).body.expires_at).toBeNull()
  })

  test('ten at once emit ten events, and the last event is the state of the key', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => tenant.by().update(created.id, { name: `name ${i}` })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const events = await tenant.events()
    expect(events).toHaveLength(11)
    expect((await tenant.by().read(created.id)).body.name).toBe(events.at(-1)?.payload['name'])
  })

  test.each([
    ['nothing', {}, ''],
    ['an unknown field', { roles: [] }, '/roles'],
    ['a value', { value: 'psk_dev_mine' }, '/value'],
    ['an empty list of addresses', { allowed_cidrs: [] }, '/allowed_cidrs'],
    ['more than fifty blocks', { allowed_cidrs: Array(51).fill('10.0.0.0/8') }, '/allowed_cidrs'],
    ['a malformed block', { allowed_cidrs: ['10.0.0.0/8', '10.0.0.0/33'] }, '/allowed_cidrs/1'],
    ['a name for an address', { allowed_cidrs: ['localhost'] }, '/allowed_cidrs/0'],
    ['a number for an address', { allowed_cidrs: [10] }, '/allowed_cidrs/0'],
    ['a word for a boolean', { enabled: 'yes' }, '/enabled'],
    ['null for a name', { name: null }, '/name'],
  ])('rejects %s, names the field, and changes nothing', async (_, body, pointer) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const reply = await tenant.by().update(created.id, body)
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.errors[0].pointer).toBe(pointer)
    expect((await tenant.by().read(created.id)).body.updated_at).toBe(created.updated_at)
    expect(await tenant.events()).toHaveLength(1)
  })
})

describe('the no-privilege-escalation rule', () => {
  const weak: Permission[] = ['apikey:UpdateKey', 'apikey:ReadKey']
  const strong: Permission[] = ['transaction:RefundTransaction']

  test.each([
    ['re-enabling', { enabled: false }, { enabled: true }],
    ['postponing the expiry', { expires_at: soon }, { expires_at: later }],
    ['removing the expiry', { expires_at: soon }, { expires_at: null }],
    ['reviving an expired key', { expires_at: past }, { expires_at: soon }],
    ['removing the addresses', { allowed_cidrs: ['10.0.0.0/8'] }, { allowed_cidrs: null }],
    ['widening the addresses', { allowed_cidrs: ['10.1.0.0/16'] }, { allowed_cidrs: ['10.0.0.0/8'] }],
    ['adding addresses', { allowed_cidrs: ['10.1.0.0/16'] }, { allowed_cidrs: ['10.1.0.0/16', '2001:db8::/32'] }],
    ['disabling', { enabled: true }, { enabled: false }],
    ['expiring', { expires_at: null }, { expires_at: past }],
    ['shortening the expiry', { expires_at: null }, { expires_at: soon }],
    ['setting addresses', { allowed_cidrs: null }, { allowed_cidrs: ['10.0.0.0/8'] }],
    ['moving the addresses', { allowed_cidrs: ['10.1.0.0/16'] }, { allowed_cidrs: ['10.2.0.0/16'] }],
  ])('rejects %s for a key with permissions that the caller lacks', async (_, before, change) => {
    const tenant = await world.tenant()
    const key = await keyWith(tenant, strong)
    const prepared = await tenant.by().update(key.id, before)
    const events = await tenant.events()
    const reply = await tenant.by(weak).update(key.id, change)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(strong)
    expect((await tenant.by().read(key.id)).body).toEqual(prepared.body)
    expect(await tenant.events()).toEqual(events)
    expect((await tenant.by([...weak, ...strong]).update(key.id, change)).status).toBe(200)
  })

  test.each([
    ['renaming', { name: 'two' }],
    ['enabling an enabled key', { enabled: true }],
  ])('allows %s without the permissions of the key', async (_, change) => {
    const tenant = await world.tenant()
    const key = await keyWith(tenant, strong, { expires_at: later })
    expect((await tenant.by(weak).update(key.id, change)).status).toBe(200)
  })
})

describe('own_key', () => {
  test.each([
    ['disable', { enabled: false }],
    ['expire', { expires_at: past }],
    ['narrow the addresses of', { allowed_cidrs: ['10.0.0.0/8'] }],
  ])('a key cannot %s itself, and stays unchanged', async (_, change) => {
    const tenant = await world.tenant()
    const key = await keyWith(tenant, ['apikey:UpdateKey'])
    const events = await tenant.events()
    const reply = await tenant.as({ type: 'api_key', id: key.id }, ['apikey:UpdateKey']).update(key.id, change)
    expect([reply.status, reply.body.code]).toEqual([409, 'own_key'])
    expect((await tenant.by().read(key.id)).body.updated_at).toBe(key.updated_at)
    expect(await tenant.events()).toEqual(events)
  })

  test('a key may rename itself; a user with the id of the key is another actor', async () => {
    const tenant = await world.tenant()
    const key = await keyWith(tenant, ['apikey:UpdateKey'])
    expect(
      (await tenant.as({ type: 'api_key', id: key.id }, ['apikey:UpdateKey']).update(key.id, { name: 'me' })).status,
    ).toBe(200)
    expect((await tenant.as({ type: 'user', id: key.id }).update(key.id, { enabled: false })).status).toBe(200)
  })

  test('a key may add to its own allowed addresses, and not remove any', async () => {
    const tenant = await world.tenant()
    const key = await keyWith(tenant, ['apikey:UpdateKey'], { allowed_cidrs: ['10.1.0.0/16'] })
    const self = tenant.as({ type: 'api_key', id: key.id }, ['apikey:UpdateKey'])
    expect((await self.update(key.id, { allowed_cidrs: ['10.2.0.0/16'] })).body.code).toBe('own_key')
    expect((await self.update(key.id, { allowed_cidrs: ['10.1.0.0/16', '10.2.0.0/16'] })).status).toBe(200)
    expect((await self.update(key.id, { allowed_cidrs: null })).body.allowed_cidrs).toBeNull()
  })
})

describe('allowed_cidrs', () => {
  test('are normalized in responses, events and identities, each once; null removes them', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create({ allowed_cidrs: ['192.0.2.7', '2001:DB8:0:0::/32'] })
    expect(created.allowed_cidrs).toEqual(['192.0.2.7/32', '2001:db8::/32'])
    const input = ['10.1.2.3/8', '::ffff:10.0.0.0/104', '2001:0db8::1', '192.0.2.7/32']
    const reply = await tenant.by().update(created.id, { allowed_cidrs: input })
    const normalized = ['10.0.0.0/8', '2001:db8::1/128', '192.0.2.7/32']
    expect(reply.body.allowed_cidrs).toEqual(normalized)
    expect((await world.asService.identifyValue(created.value))?.allowed_cidrs).toEqual(normalized)
    expect((await tenant.events()).at(-1)).toMatchObject({
      type: 'api-key.keys.update',
      payload: { allowed_cidrs: normalized },
    })
    const lifted = await tenant.by().update(created.id, { allowed_cidrs: null })
    expect(lifted.body.allowed_cidrs).toBeNull()
    expect((await world.asService.identifyValue(created.value))?.allowed_cidrs).toBeNull()
  })

  test('stay unchanged when another field changes', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create({ allowed_cidrs: ['10.0.0.0/8'] })
    expect((await tenant.by().update(created.id, { name: 'two' })).body.allowed_cidrs).toEqual(['10.0.0.0/8'])
  })
})
