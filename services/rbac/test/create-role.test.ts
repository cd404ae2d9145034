import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { rolesMax } from '../src/domain/role.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const names = async (tenant: TestTenant) =>
  (await tenant.by().list()).body.data.map((role: { name: string }) => role.name).sort()

describe('createRole', () => {
  test('creates a custom role with each permission once, and emits an event', async () => {
    const tenant = await world.tenant()
    const permissions = ['transaction:RefundTransaction', 'apikey:ReadKey', 'apikey:ReadKey']
    const created = await tenant.by().create({ name: 'till', description: 'Refunds', permissions })
    expect(created.status).toBe(201)
    const { id, created_at, updated_at } = created.body
    const granted = ['apikey:ReadKey', 'transaction:RefundTransaction']
    const role = {
      id,
      name: 'till',
      description: 'Refunds',
      kind: 'custom',
      permissions: granted,
      created_at,
      updated_at,
    }
    expect(created.body).toEqual(role)
    expect(created.headers['location']).toBe(`/v1/rbac/roles/${id}`)
    expect((await tenant.by().read(id)).body).toEqual(role)
    expect((await tenant.resolve({ role_ids: [id] })).permissions).toEqual(granted)
    expect((await tenant.resolve({ role_names: ['till'] })).permissions).toEqual(granted)
    const { kind: _, created_at: __, ...payload } = role
    expect(await tenant.events()).toEqual([
      { type: 'rbac.roles.create', payload, business_unit_id: null, trace_id: expect.any(String) },
    ])
  })

  test.each([
    ['no name', { name: undefined }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['no list', { permissions: 'admin' }, '/permissions'],
    ['more than 200 permissions', { permissions: Array(201).fill('apikey:ReadKey') }, '/permissions'],
    ['a kind of its own choice', { kind: 'built_in' }, '/kind'],
  ])('rejects %s, names the field, and creates nothing', async (_, body, pointer) => {
    const tenant = await world.tenant()
    const reply = await tenant.by().create(body)
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
    expect(await names(tenant)).toEqual(['admin', 'viewer'])
    expect(await tenant.events()).toEqual([])
  })

  test('names each unknown permission, and creates nothing', async () => {
    const tenant = await world.tenant()
    const permissions = ['apikey:ReadKey', 'apikey:EatKey', 'toString', '__proto__']
    const reply = await tenant.by().create({ permissions })
    expect([reply.status, reply.body.code]).toEqual([422, 'unknown_permission'])
    expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([
      '/permissions/1',
      '/permissions/2',
      '/permissions/3',
    ])
    expect(await names(tenant)).toEqual(['admin', 'viewer'])
    expect(await tenant.events()).toEqual([])
  })

  test('rejects permissions that the caller lacks, names them, and creates nothing', async () => {
    const tenant = await world.tenant()
    const own: Permission[] = ['rbac:CreateRole', 'apikey:ReadKey']
    const before = await world.epoch()
    const reply = await tenant
      .by(own)
      .create({ permissions: ['transaction:VoidTransaction', 'apikey:ReadKey', 'audit:ReadRecord'] })
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['audit:ReadRecord', 'transaction:VoidTransaction'])
    expect(await names(tenant)).toEqual(['admin', 'viewer'])
    expect(await tenant.events()).toEqual([])
    expect(await world.epoch()).toEqual(before)
    expect((await tenant.by(own).create({ permissions: own })).status).toBe(201)
  })

  test('rejects the only permission that the caller lacks', async () => {
    const tenant = await world.tenant()
    const others = permissionNames.filter((permission) => permission !== 'user:InviteUser')
    const reply = await tenant.by(others).create({ permissions: permissionNames })
    expect([reply.status, reply.body.missing_permissions]).toEqual([403, ['user:InviteUser']])
    expect(await names(tenant)).toEqual(['admin', 'viewer'])
  })

  test.each(['admin', 'viewer', 'till'])(
    'a second role named %s is role_name_taken; another tenant may have it',
    async (name) => {
      const [tenant, other] = [await world.tenant(), await world.tenant()]
      await tenant.by().create({ name: 'till' })
      const events = await tenant.events()
      const reply = await tenant.by().create({ name })
      expect([reply.status, reply.body.code]).toEqual([409, 'role_name_taken'])
      expect(reply.body.errors[0].pointer).toBe('/name')
      expect(await tenant.events()).toEqual(events)
      expect((await other.by().create({ name: 'till' })).status).toBe(201)
    },
  )

  test('ten at once with one name create one role', async () => {
    const tenant = await world.tenant()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().create({ name: 'till' })))
    const codes = replies.map(({ status, body }): string => (status === 201 ? 'created' : body.code))
    expect(codes.sort()).toEqual(['created', ...Array(9).fill('role_name_taken')])
    expect(await tenant.events()).toHaveLength(1)
  })

  test('ten at once create three roles when three remain; built-in roles do not count', async () => {
    const tenant = await world.tenant()
    await world.rows(
      `INSERT INTO roles (id, tenant_id, name, name_key, description, kind, permissions, updated_at)
       SELECT gen_random_uuid(), $1::uuid, 'filler ' || n, 'filler ' || n, '', 'custom', '{}', now()
       FROM generate_series(1, $2::int) AS n RETURNING id::text`,
      tenant.id,
      rolesMax - 3,
    )
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().create()))
    const codes = replies.map(({ status, body }): string => (status === 201 ? 'created' : body.code))
    expect(codes.sort()).toEqual([...Array(3).fill('created'), ...Array(7).fill('too_many_roles')])
    expect(await names(tenant)).toHaveLength(rolesMax + 2)
    expect(await tenant.events()).toHaveLength(3)
  })

  test('the same Idempotency-Key creates one role and replays the response; another body is rejected', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const first = await user.create({ name: 'till' }, 'k1')
    const again = await user.create({ name: 'till' }, 'k1')
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body])
    const other = await user.create({ name: 'desk' }, 'k1')
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect(await names(tenant)).toEqual(['admin', 'till', 'viewer'])
    expect(await tenant.events()).toHaveLength(1)
  })

  test('a rejection is not stored under its Idempotency-Key', async () => {
    const tenant = await world.tenant()
    await tenant.by().create({ name: 'till' })
    expect((await tenant.by().create({ name: 'till', description: 'x' }, 'k1')).status).toBe(409)
    expect((await tenant.by().create({ name: 'desk' }, 'k1')).status).toBe(201)
  })

  test('for an unknown tenant it is tenant_not_found', async () => {
    const reply = await world.asTenant(randomUUID()).create()
    expect([reply.status, reply.body.code]).toEqual([404, 'tenant_not_found'])
  })

  test('a role named like the id of another role is resolved by its name only', async () => {
    const tenant = await world.tenant()
    const stranger = randomUUID()
    const { body: role } = await tenant.by().create({ name: stranger, permissions: ['apikey:ReadKey'] })
    expect(await tenant.resolve({ role_ids: [role.id, stranger] })).toMatchObject({ unknown: [stranger] })
    expect(await tenant.resolve({ role_names: [role.id, stranger] })).toMatchObject({ unknown: [role.id] })
  })
})
