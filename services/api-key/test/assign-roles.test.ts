import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { client } from '@payments/chassis/client'
import { type Permission, permissionNames } from '@payments/contracts/permission'
import { rbac as rbacContract } from '@payments/contracts/rbac'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const roleIds = (n: number) => Array.from({ length: n }, () => randomUUID())

describe('assignRoles', () => {
  test('replaces the whole set, tells of it, and binds what the key may do', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: made } = await user.create()
    const [pay, read] = [await tenant.role(['transaction:RefundTransaction']), await tenant.role(['apikey:ReadKey'])]
    const first = await user.assign(made.id, [pay, tenant.viewerRole])
    expect(first.status).toBe(200)
    expect(first.body.role_ids).toEqual([pay, tenant.viewerRole].sort())
    expect(first.body.value).toBe(`psk_dev_…${made.value.slice(-4)}`)
    expect(first.body.updated_at > made.updated_at).toBe(true)
    const second = await user.assign(made.id, [read])
    expect(second.body.role_ids).toEqual([read])
    expect((await user.read(made.id)).body).toEqual(second.body)
    expect((await user.permissions(made.id)).body).toEqual({ data: ['apikey:ReadKey'], next_cursor: null })
    const [, , event] = await tenant.events()
    expect(event).toMatchObject({
      type: 'api-key.keys.assign-roles',
      payload: { id: made.id, role_ids: [read], updated_at: second.body.updated_at },
    })
  })

  test('an empty set takes all power; a role named twice is one', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: made } = await user.create()
    const twice = await user.assign(made.id, [tenant.viewerRole, tenant.viewerRole.toUpperCase()])
    expect(twice.body.role_ids).toEqual([tenant.viewerRole])
    expect((await user.assign(made.id, [])).body.role_ids).toEqual([])
    expect((await user.permissions(made.id)).body).toEqual({ data: [], next_cursor: null })
  })

  test("names each role that is not the tenant's, and changes nothing", async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = tenant.by()
    const { body: made } = await user.create()
    await user.assign(made.id, [tenant.viewerRole])
    const events = await tenant.events()
    const reply = await user.assign(made.id, [tenant.adminRole, randomUUID(), other.viewerRole])
    expect([reply.status, reply.body.code]).toEqual([422, 'unknown_role'])
    expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(['/role_ids/1', '/role_ids/2'])
    expect((await user.read(made.id)).body.role_ids).toEqual([tenant.viewerRole])
    expect(await tenant.events()).toEqual(events)
  })

  test.each([
    ['no list', { role_ids: 'admin' }, '/role_ids'],
    ['no ids', { role_ids: ['admin'] }, '/role_ids/0'],
    ['more than fifty', { role_ids: roleIds(51) }, '/role_ids'],
    ['nothing', {}, '/role_ids'],
  ])('refuses %s, naming the field', async (_, body, pointer) => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const reply = await tenant.by().send('put', `/v1/api-key/keys/${made.id}/roles`, body)
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  })

  test('nobody hands out more than they hold: what is missing is named, nothing changes', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const events = await tenant.events()
    const own: Permission[] = ['apikey:AssignRoles', 'apikey:ReadKey']
    const reply = await tenant.by(own).assign(made.id, [tenant.adminRole])
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual([...permissionNames].filter((name) => !own.includes(name)).sort())
    expect((await tenant.by().read(made.id)).body.role_ids).toEqual([])
    expect(await tenant.events()).toEqual(events)
    expect((await tenant.by(own).assign(made.id, [await tenant.role(own)])).status).toBe(200)
  })

  test('a key cannot raise itself, nor strip itself; to the same power it may change its roles', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const own: Permission[] = ['apikey:AssignRoles', 'apikey:ReadKey']
    const role = await tenant.role(own)
    await tenant.by().assign(made.id, [role])
    const self = tenant.as({ type: 'api_key', id: made.id }, own)
    expect((await self.assign(made.id, [tenant.adminRole])).body.code).toBe('would_exceed_own_permissions')
    const stripped = await self.assign(made.id, [await tenant.role(['apikey:ReadKey'])])
    expect([stripped.status, stripped.body.code]).toEqual([409, 'own_key'])
    expect((await self.assign(made.id, [])).body.code).toBe('own_key')
    expect((await tenant.by().read(made.id)).body.role_ids).toEqual([role])
    expect((await self.assign(made.id, [await tenant.role(own)])).status).toBe(200)
  })

  test('ten at once: each is told of, and the last event is what the key has', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const roles = await Promise.all(Array.from({ length: 10 }, () => tenant.role(['apikey:ReadKey'])))
    const replies = await Promise.all(roles.map((role) => tenant.by().assign(made.id, [role])))
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const events = await tenant.events()
    expect(events).toHaveLength(11)
    expect((await tenant.by().read(made.id)).body.role_ids).toEqual(events.at(-1)?.payload['role_ids'])
  })

  test('without rbac nothing is decided: 503, nothing changed', async () => {
    const keys = new Map([['rbac', world.edgeKey]])
    const away = { self: 'api-key', baseUrl: 'http://127.0.0.1:1', keys, timeoutMs: 500 }
    const app = createApp({ ...world.deps, rbac: client(rbacContract, away) })
    const tenant = await world.tenant(app)
    const { body: made } = await tenant.by().create()
    const refused = await tenant.by().assign(made.id, [tenant.viewerRole])
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
      503,
      'service_unavailable',
      '1',
    ])
    expect((await tenant.by().read(made.id)).body.role_ids).toEqual([])
    expect(await tenant.events()).toHaveLength(1)
  })
})

describe('readKeyPermissions', () => {
  test('lists the union over the roles, sorted, whether or not the key is enabled', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: made } = await user.create({ enabled: undefined })
    const roles = [
      await tenant.role(['transaction:VoidTransaction', 'apikey:ReadKey']),
      await tenant.role(['apikey:ReadKey', 'audit:ReadRecord']),
    ]
    await user.assign(made.id, roles)
    await user.update(made.id, { enabled: false })
    const reply = await tenant.by(['apikey:ReadKey']).permissions(made.id)
    expect(reply.body).toEqual({
      data: ['apikey:ReadKey', 'audit:ReadRecord', 'transaction:VoidTransaction'],
      next_cursor: null,
    })
  })

  test('explained, names for each permission the roles that grant it, by name', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: made } = await user.create()
    expect((await user.permissions(made.id, '?explain=true')).body).toEqual({ data: [], next_cursor: null })
    const audit = await tenant.role(['audit:ReadRecord'])
    await user.assign(made.id, [tenant.viewerRole, audit])
    const { data: plain } = (await user.permissions(made.id, '?explain=false')).body
    const { data } = (await user.permissions(made.id, '?explain=true')).body as {
      data: { permission: string; granted_by: { role_id: string; role_name: string }[] }[]
    }
    expect(data.map(({ permission }) => permission)).toEqual(plain)
    const viewer = { role_id: tenant.viewerRole, role_name: 'viewer' }
    const grantersOf = (name: string) => data.find(({ permission }) => permission === name)?.granted_by
    expect(grantersOf('apikey:ReadKey')).toEqual([viewer])
    expect(grantersOf('audit:ReadRecord')).toHaveLength(2)
    expect(grantersOf('audit:ReadRecord')).toEqual(
      expect.arrayContaining([viewer, { role_id: audit, role_name: expect.any(String) }]),
    )
    const malformed = await user.permissions(made.id, '?explain=yes')
    expect([malformed.status, malformed.body.errors[0].pointer]).toEqual([400, '/query/explain'])
  })
})
