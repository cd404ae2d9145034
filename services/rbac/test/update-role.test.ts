import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Permission, permissionNames } from '@payments/contracts/permission'
import { type Pair, startPair } from './api-key.ts'

let world: Pair
beforeAll(async () => {
  world = await startPair()
})
afterAll(() => world.stop())

const weak: Permission[] = ['rbac:UpdateRole', 'apikey:ReadKey']
const strong: Permission[] = ['transaction:RefundTransaction']

describe('updateRole', () => {
  test('replaces the given fields and nothing else, binds what resolves next, and tells of it', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: made } = await user.create({ name: 'till', description: 'first', permissions: ['apikey:ReadKey'] })
    const reply = await user.update(made.id, { permissions: ['audit:ReadRecord', 'apikey:ReadKey'] })
    expect(reply.status).toBe(200)
    const { updated_at } = reply.body
    expect(updated_at > made.updated_at).toBe(true)
    expect(reply.body).toEqual({ ...made, permissions: ['apikey:ReadKey', 'audit:ReadRecord'], updated_at })
    expect((await user.read(made.id)).body).toEqual(reply.body)
    expect((await tenant.resolve({ role_ids: [made.id] })).permissions).toEqual(['apikey:ReadKey', 'audit:ReadRecord'])
    const renamed = await user.update(made.id, { name: 'desk', description: '', permissions: [] })
    expect(renamed.body).toMatchObject({ name: 'desk', description: '', permissions: [] })
    expect(await tenant.resolve({ role_names: ['till'] })).toMatchObject({ unknown: ['till'] })
    const [, first, second] = await tenant.events()
    const payload = { id: made.id, name: 'till', description: 'first', permissions: reply.body.permissions, updated_at }
    expect(first).toEqual({ type: 'rbac.roles.update', payload, business_unit_id: null })
    expect(second).toMatchObject({ type: 'rbac.roles.update', payload: { name: 'desk', permissions: [] } })
  })

  test.each([
    ['nothing', {}, ''],
    ['an unknown field', { kind: 'built_in' }, '/kind'],
    ['null for a name', { name: null }, '/name'],
    ['a word for a list', { permissions: 'all' }, '/permissions'],
  ])('refuses %s, naming the field, and changes nothing', async (_, body, pointer) => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const reply = await tenant.by().update(made.id, body)
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
    expect((await tenant.by().read(made.id)).body).toEqual(made)
  })

  test('a permission that does not exist is named, and nothing changes', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const reply = await tenant.by().update(made.id, { name: 'x', permissions: ['apikey:EatKey'] })
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([
      422,
      'unknown_permission',
      '/permissions/0',
    ])
    expect((await tenant.by().read(made.id)).body).toEqual(made)
    expect(await tenant.events()).toHaveLength(1)
  })

  test.each([
    ['adding what they lack', weak, { permissions: [...weak, ...strong] }],
    ['taking what they lack', strong, { permissions: [] }],
    ['renaming what has more than they', strong, { name: 'mine' }],
  ])('nobody edits beyond their own power: %s is refused and changes nothing', async (_, permissions, change) => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create({ permissions })
    const before = await world.epoch()
    const reply = await tenant.by(weak).update(made.id, change)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(strong)
    expect((await tenant.by().read(made.id)).body).toEqual(made)
    expect(await tenant.events()).toHaveLength(1)
    expect(await world.epoch()).toEqual(before)
    expect((await tenant.by([...weak, ...strong]).update(made.id, change)).status).toBe(200)
  })

  test.each(['adminRole', 'viewerRole'] as const)('%s is a built_in_role, whoever asks', async (builtIn) => {
    const tenant = await world.tenant()
    const reply = await tenant.by().update(tenant[builtIn], { name: 'mine', permissions: [] })
    expect([reply.status, reply.body.code]).toEqual([409, 'built_in_role'])
    expect(await tenant.events()).toEqual([])
    expect((await tenant.resolve({ role_names: ['admin'] })).permissions).toHaveLength(permissionNames.length)
  })

  test('a name that another role has is role_name_taken; its own it may keep', async () => {
    const tenant = await world.tenant()
    const { body: till } = await tenant.by().create({ name: 'till' })
    await tenant.by().create({ name: 'desk' })
    for (const name of ['desk', 'admin']) {
      const reply = await tenant.by().update(till.id, { name })
      expect([reply.status, reply.body.code]).toEqual([409, 'role_name_taken'])
    }
    expect((await tenant.by().update(till.id, { name: 'till', description: 'same' })).status).toBe(200)
  })

  test('ten roles at once to one name: one gets it', async () => {
    const tenant = await world.tenant()
    const roles = await Promise.all(Array.from({ length: 10 }, () => tenant.by().create()))
    const replies = await Promise.all(roles.map(({ body }) => tenant.by().update(body.id, { name: 'till' })))
    const codes = replies.map(({ status, body }): string => (status === 200 ? 'named' : body.code))
    expect(codes.sort()).toEqual(['named', ...Array(9).fill('role_name_taken')])
  })

  test("another tenant's role is answered as a missing one, and stays as it is", async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body: foreign } = await theirs.by().create()
    const missing = await ours.by().update('0192e4a0-0000-7000-8000-000000000000', { name: 'mine' })
    const reply = await ours.by().update(foreign.id, { name: 'mine' })
    expect([reply.status, reply.body.code]).toEqual([404, 'role_not_found'])
    expect({ ...reply.body, trace_id: '' }).toEqual({ ...missing.body, trace_id: '' })
    expect((await theirs.by().read(foreign.id)).body).toEqual(foreign)
  })
})
