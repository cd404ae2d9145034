import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { client } from '@payments/chassis/client/client'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const roleIds = (n: number) => Array.from({ length: n }, () => randomUUID())

describe('assignRoles', () => {
  test('replaces all roles, emits an event, and changes the permissions of the key', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: created } = await user.create()
    const [pay, read] = [await tenant.role(['transaction:RefundTransaction']), await tenant.role(['apikey:ReadKey'])]
    const first = await user.assign(created.id, [pay, tenant.viewerRole])
    expect(first.status).toBe(200)
    expect(first.body.role_ids).toEqual([pay, tenant.viewerRole].sort())
    expect(first.body.value).toBe(`psk_dev_…${created.value.slice(-4)}`)
    expect(first.body.updated_at > created.updated_at).toBe(true)
    const second = await user.assign(created.id, [read])
    expect(second.body.role_ids).toEqual([read])
    expect((await user.read(created.id)).body).toEqual(second.body)
    expect((await user.permissions(created.id)).body).toEqual({ data: ['apikey:ReadKey'], next_cursor: null })
    const [, , event] = await tenant.events()
    expect(event).toMatchObject({
      type: 'api-key.keys.assign-roles',
      payload: { id: created.id, role_ids: [read], updated_at: second.body.updated_at },
    })
  })

  test('an empty list removes all permissions; a repeated role counts once', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: created } = await user.create()
    const twice = await user.assign(created.id, [tenant.viewerRole, tenant.viewerRole.toUpperCase()])
    expect(twice.body.role_ids).toEqual([tenant.viewerRole])
    expect((await user.assign(created.id, [])).body.role_ids).toEqual([])
    expect((await user.permissions(created.id)).body).toEqual({ data: [], next_cursor: null })
  })

  test('names each role that the tenant does not have, and changes nothing', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = tenant.by()
    const { body: created } = await user.create()
    await user.assign(created.id, [tenant.viewerRole])
    const events = await tenant.events()
    const reply = await user.assign(created.id, [tenant.adminRole, randomUUID(), other.viewerRole])
    expect([reply.status, reply.body.code]).toEqual([422, 'unknown_role'])
    expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(['/role_ids/1', '/role_ids/2'])
    expect((await user.read(created.id)).body.role_ids).toEqual([tenant.viewerRole])
    expect(await tenant.events()).toEqual(events)
  })

  test.each([
    ['no list', { role_ids: 'admin' }, '/role_ids'],
    ['no ids', { role_ids: ['admin'] }, '/role_ids/0'],
    ['more than fifty', { role_ids: roleIds(51) }, '/role_ids'],
    ['nothing', {}, '/role_ids'],
  ])('rejects %s and names the field', async (_, body, pointer) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const reply = await tenant.by().send('put', `/v1/api-key/keys/${created.id}/roles`, body)
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  })

  test('rejects roles with permissions that the caller lacks, names them, and changes nothing', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const events = await tenant.events()
    const own: Permission[] = ['apikey:AssignRoles', 'apikey:ReadKey']
    const reply = await tenant.by(own).assign(created.id, [tenant.adminRole])
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual([...permissionNames].filter((name) => !own.includes(name)).sort())
    expect((await tenant.by().read(created.id)).body.role_ids).toEqual([])
    expect(await tenant.events()).toEqual(events)
    expect((await tenant.by(own).assign(created.id, [await tenant.role(own)])).status).toBe(200)
  })

  test('rejects to take permissions that the caller lacks, names them, and changes nothing', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const administrator = await tenant.role(['apikey:AssignRoles', 'user:UpdateUser'])
    await tenant.by().assign(created.id, [administrator])
    const events = await tenant.events()
    const reply = await tenant.by(['apikey:AssignRoles']).assign(created.id, [])
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['user:UpdateUser'])
    expect((await tenant.by().read(created.id)).body.role_ids).toEqual([administrator])
    expect(await tenant.events()).toEqual(events)
  })

  test('a key neither gains nor loses permissions by its own roles; it may replace them by equal ones', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const own: Permission[] = ['apikey:AssignRoles', 'apikey:ReadKey']
    const role = await tenant.role(own)
    await tenant.by().assign(created.id, [role])
    const self = tenant.as({ type: 'api_key', id: created.id }, own)
    expect((await self.assign(created.id, [tenant.adminRole])).body.code).toBe('would_exceed_own_permissions')
    const stripped = await self.assign(created.id, [await tenant.role(['apikey:ReadKey'])])
    expect([stripped.status, stripped.body.code]).toEqual([409, 'own_key'])
    expect((await self.assign(created.id, [])).body.code).toBe('own_key')
    expect((await tenant.by().read(created.id)).body.role_ids).toEqual([role])
    expect((await self.assign(created.id, [await tenant.role(own)])).status).toBe(200)
  })

  test('ten at once emit ten events, and the last event has the roles of the key', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const roles = await Promise.all(Array.from({ length: 10 }, () => tenant.role(['apikey:ReadKey'])))
    const replies = await Promise.all(roles.map((role) => tenant.by().assign(created.id, [role])))
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const events = await tenant.events()
    expect(events).toHaveLength(11)
    expect((await tenant.by().read(created.id)).body.role_ids).toEqual(events.at(-1)?.payload['role_ids'])
  })

  test('without rbac the response is 503 and nothing changes', async () => {
    const keys = new Map([['rbac', world.edgeKey]])
    const unavailable = { self: 'api-key', baseUrl: 'http://127.0.0.1:1', keys, timeoutMs: 500 }
    const app = createApp({ ...world.deps, rbac: client(rbacContract, unavailable) })
    const tenant = await world.tenant(app)
    const { body: created } = await tenant.by().create()
    const rejected = await tenant.by().assign(created.id, [tenant.viewerRole])
    expect([rejected.status, rejected.body.code, rejected.headers['retry-after']]).toEqual([
      503,
      'service_unavailable',
      '1',
    ])
    expect((await tenant.by().read(created.id)).body.role_ids).toEqual([])
    expect(await tenant.events()).toHaveLength(1)
  })
})
