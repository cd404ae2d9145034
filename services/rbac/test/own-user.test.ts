import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { type ConnectedWorld, startConnectedWorld } from './connected-world.ts'

let world: ConnectedWorld
beforeAll(async () => {
  world = await startConnectedWorld()
})
afterAll(() => world.stop())

const held: Permission[] = ['rbac:DeleteRole', 'rbac:UpdateRole']

/** A tenant with a role per list of permissions. */
async function tenantWithRoles(...granted: readonly Permission[][]) {
  const tenant = await world.tenant()
  const roles: string[] = []
  for (const permissions of granted) roles.push((await tenant.by().create({ permissions })).body.id)
  return { tenant, roles: roles as [string, ...string[]] }
}

describe('a user with a session that edits one of their own roles', () => {
  test('cannot take a permission that no other role of theirs grants: own_user, and nothing changes', async () => {
    const { tenant, roles } = await tenantWithRoles(held)
    const state = async () => [(await tenant.by().read(roles[0])).body, await tenant.events(), await world.epoch()]
    const before = await state()
    const reply = await tenant.bySession(roles).update(roles[0], { permissions: ['rbac:UpdateRole'], description: 'x' })
    expect([reply.status, reply.body.code]).toEqual([409, 'own_user'])
    expect(await state()).toEqual(before)
  })

  test('may take permissions that another of their roles grants, add permissions and rename the role', async () => {
    const { tenant, roles } = await tenantWithRoles(held, held)
    const user = tenant.bySession(roles)
    expect((await user.update(roles[0], { permissions: [], name: 'empty' })).status).toBe(200)
    expect((await user.update(roles[1] ?? '', { permissions: [...held, 'audit:ReadRecord'] })).status).toBe(200)
    expect((await user.update(roles[1] ?? '', { permissions: [] })).body.code).toBe('own_user')
  })

  test('may take permissions from roles of others', async () => {
    const { tenant, roles } = await tenantWithRoles(held, held)
    expect((await tenant.bySession([roles[0]]).update(roles[1] ?? '', { permissions: [] })).status).toBe(200)
  })

  test('cannot delete their own role: role_in_use', async () => {
    const { tenant, roles } = await tenantWithRoles(held)
    await world.user(tenant.id, roles)
    const reply = await tenant.bySession(roles).remove(roles[0])
    expect([reply.status, reply.body.code, reply.body.member_count]).toEqual([409, 'role_in_use', 1])
  })

  test('ten edits at once, one per role of the user: one role retains its permissions', async () => {
    const { tenant, roles } = await tenantWithRoles(...Array.from({ length: 10 }, () => held))
    const user = tenant.bySession(roles)
    const replies = await Promise.all(roles.map((id) => user.update(id, { permissions: [] })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(9)
    expect(replies.filter(({ body }) => body.code === 'own_user')).toHaveLength(1)
    expect((await tenant.resolve({ role_ids: roles })).permissions).toEqual(held)
  })
})
