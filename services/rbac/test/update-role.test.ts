import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { type ConnectedWorld, startConnectedWorld } from './connected-world.ts'

let world: ConnectedWorld
beforeAll(async () => {
  world = await startConnectedWorld()
})
afterAll(() => world.stop())

const weak: Permission[] = ['rbac:UpdateRole', 'apikey:ReadKey']
const strong: Permission[] = ['transaction:RefundTransaction']

describe('updateRole', () => {
  test('replaces the given fields only, takes effect with the next resolution, and emits an event', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: created } = await user.create({ name: 'till', description: 'first', permissions: ['apikey:ReadKey'] })
    const reply = await user.update(created.id, { permissions: ['audit:ReadRecord', 'apikey:ReadKey'] })
    expect(reply.status).toBe(200)
    const { updated_at } = reply.body
    expect(updated_at > created.updated_at).toBe(true)
    expect(reply.body).toEqual({ ...created, permissions: ['apikey:ReadKey', 'audit:ReadRecord'], updated_at })
    expect((await user.read(created.id)).body).toEqual(reply.body)
    expect((await tenant.resolve({ role_ids: [created.id] })).permissions).toEqual([
      'apikey:ReadKey',
      'audit:ReadRecord',
    ])
    const renamed = await user.update(created.id, { name: 'desk', description: '', permissions: [] })
    expect(renamed.body).toMatchObject({ name: 'desk', description: '', permissions: [] })
    expect(await tenant.resolve({ role_names: ['till'] })).toMatchObject({ unknown: ['till'] })
    const [, first, second] = await tenant.events()
    const payload = {
      id: created.id,
      name: 'till',
      description: 'first',
      permissions: reply.body.permissions,
      updated_at,
    }
    expect(first).toEqual({ type: 'rbac.roles.update', payload, business_unit_id: null, trace_id: expect.any(String) })
    expect(second).toMatchObject({ type: 'rbac.roles.update', payload: { name: 'desk', permissions: [] } })
  })

  test.each([
    ['nothing', {}, ''],
    ['an unknown field', { kind: 'built_in' }, '/kind'],
    ['null for a name', { name: null }, '/name'],
    ['a word for a list', { permissions: 'all' }, '/permissions'],
  ])('rejects %s, names the field, and changes nothing', async (_, body, pointer) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const reply = await tenant.by().update(created.id, body)
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
    expect((await tenant.by().read(created.id)).body).toEqual(created)
  })

  test('names an unknown permission, and changes nothing', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const reply = await tenant.by().update(created.id, { name: 'x', permissions: ['apikey:EatKey'] })
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([
      422,
      'unknown_permission',
      '/permissions/0',
    ])
    expect((await tenant.by().read(created.id)).body).toEqual(created)
    expect(await tenant.events()).toHaveLength(1)
  })

  test.each([
    ['adding what they lack', weak, { permissions: [...weak, ...strong] }],
    ['taking what they lack', strong, { permissions: [] }],
    ['renaming what has more than they', strong, { name: 'mine' }],
  ])('rejects an edit beyond the permissions of the caller: %s', async (_, permissions, change) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create({ permissions })
    const before = await world.epoch()
    const reply = await tenant.by(weak).update(created.id, change)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(strong)
    expect((await tenant.by().read(created.id)).body).toEqual(created)
    expect(await tenant.events()).toHaveLength(1)
    expect(await world.epoch()).toEqual(before)
    expect((await tenant.by([...weak, ...strong]).update(created.id, change)).status).toBe(200)
  })

  test.each(['adminRole', 'viewerRole'] as const)('%s is a built_in_role for every caller', async (builtIn) => {
    const tenant = await world.tenant()
    const reply = await tenant.by().update(tenant[builtIn], { name: 'mine', permissions: [] })
    expect([reply.status, reply.body.code]).toEqual([409, 'built_in_role'])
    expect(await tenant.events()).toEqual([])
    expect((await tenant.resolve({ role_names: ['admin'] })).permissions).toHaveLength(permissionNames.length)
  })

  test('a name of another role is role_name_taken; a role may repeat its own name', async () => {
    const tenant = await world.tenant()
    const { body: till } = await tenant.by().create({ name: 'till' })
    await tenant.by().create({ name: 'desk' })
    for (const name of ['desk', 'admin']) {
      const reply = await tenant.by().update(till.id, { name })
      expect([reply.status, reply.body.code]).toEqual([409, 'role_name_taken'])
    }
    expect((await tenant.by().update(till.id, { name: 'till', description: 'same' })).status).toBe(200)
  })

  test('ten renames at once to one name: one succeeds', async () => {
    const tenant = await world.tenant()
    const roles = await Promise.all(Array.from({ length: 10 }, () => tenant.by().create()))
    const replies = await Promise.all(roles.map(({ body }) => tenant.by().update(body.id, { name: 'till' })))
    const codes = replies.map(({ status, body }): string => (status === 200 ? 'named' : body.code))
    expect(codes.sort()).toEqual(['named', ...Array(9).fill('role_name_taken')])
  })

  test('a role of another tenant gets the same response as a missing role, and stays unchanged', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body: foreign } = await theirs.by().create()
    const missing = await ours.by().update('0192e4a0-0000-7000-8000-000000000000', { name: 'mine' })
    const reply = await ours.by().update(foreign.id, { name: 'mine' })
    expect([reply.status, reply.body.code]).toEqual([404, 'role_not_found'])
    expect({ ...reply.body, trace_id: '' }).toEqual({ ...missing.body, trace_id: '' })
    expect((await theirs.by().read(foreign.id)).body).toEqual(foreign)
  })
})
