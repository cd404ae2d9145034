import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { administratorPermissions } from '@payments/contracts/problems/administrators'
import { type ConnectedWorld, startConnectedWorld } from './connected-world.ts'
import { startWorld } from './world.ts'

let world: ConnectedWorld
beforeAll(async () => {
  world = await startConnectedWorld()
})
afterAll(() => world.stop())

const [updateUser, assignRoles] = administratorPermissions
const administrator: Permission[] = [assignRoles, updateUser]

async function tenantWithRole(permissions: Permission[] = administrator) {
  const tenant = await world.tenant()
  return { tenant, role: (await tenant.by().create({ permissions })).body.id as string }
}

describe('an edit that takes a permission of administrators', () => {
  test.each(administrator)('%s of the only administrator: last_administrator, and nothing changes', async (taken) => {
    const { tenant, role } = await tenantWithRole()
    await world.user(tenant.id, [role])
    await world.user(tenant.id, [tenant.viewerRole])
    const state = async () => [(await tenant.by().read(role)).body, await tenant.events(), await world.epoch()]
    const before = await state()
    const permissions = administrator.filter((permission) => permission !== taken)
    const reply = await tenant.by().update(role, { permissions, description: 'x' })
    expect([reply.status, reply.body.code]).toEqual([409, 'last_administrator'])
    expect(await state()).toEqual(before)
  })

  test('is accepted while another enabled user is an administrator, by one role or by several', async () => {
    const { tenant, role } = await tenantWithRole()
    const [first, second] = [
      (await tenant.by().create({ permissions: [updateUser] })).body.id as string,
      (await tenant.by().create({ permissions: [assignRoles] })).body.id as string,
    ]
    await world.user(tenant.id, [role])
    await world.user(tenant.id, [first, second])
    expect((await tenant.by().update(role, { permissions: [] })).status).toBe(200)
    const reply = await tenant.by().update(second, { permissions: [] })
    expect([reply.status, reply.body.code]).toEqual([409, 'last_administrator'])
    await world.user(tenant.id, [tenant.adminRole])
    expect((await tenant.by().update(second, { permissions: [] })).status).toBe(200)
  })

  test('counts neither disabled users nor users of other tenants', async () => {
    const { tenant, role } = await tenantWithRole()
    const other = await world.tenant()
    await world.user(tenant.id, [role])
    await world.user(tenant.id, [tenant.adminRole], { enabled: false })
    await world.user(other.id, [other.adminRole])
    const reply = await tenant.by().update(role, { permissions: [] })
    expect([reply.status, reply.body.code]).toEqual([409, 'last_administrator'])
  })

  test('is accepted in a tenant that has no administrator among its users', async () => {
    const { tenant, role } = await tenantWithRole()
    await world.user(tenant.id, [tenant.viewerRole])
    expect((await tenant.by().update(role, { permissions: [] })).status).toBe(200)
  })

  test('ten at once, one per administrator: one administrator remains', async () => {
    const tenant = await world.tenant()
    const roles = await Promise.all(
      Array.from({ length: 10 }, async () => (await tenant.by().create({ permissions: administrator })).body.id),
    )
    for (const role of roles) await world.user(tenant.id, [role])
    const replies = await Promise.all(roles.map((role) => tenant.by().update(role, { permissions: [] })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(9)
    expect(replies.filter(({ body }) => body.code === 'last_administrator')).toHaveLength(1)
  })

  test('is 503 without identity, and changes nothing; other edits do not need identity', async () => {
    const isolated = await startWorld()
    try {
      const tenant = await isolated.tenant()
      const { body: role } = await tenant.by().create({ permissions: [...administrator, 'audit:ReadRecord'] })
      const rejected = await tenant.by().update(role.id, { permissions: ['audit:ReadRecord'] })
      expect([rejected.status, rejected.body.code]).toEqual([503, 'service_unavailable'])
      expect((await tenant.by().read(role.id)).body).toEqual(role)
      expect((await tenant.by().update(role.id, { permissions: administrator })).status).toBe(200)
    } finally {
      await isolated.stop()
    }
  })
})

test('a renamed role keeps its permissions and its users', async () => {
  const { tenant, role } = await tenantWithRole()
  await world.user(tenant.id, [role])
  expect((await tenant.by().update(role, { name: 'renamed' })).status).toBe(200)
  expect((await tenant.resolve({ role_ids: [role] })).permissions).toEqual(administrator)
  const reply = await tenant.by().remove(role)
  expect([reply.body.code, reply.body.member_count]).toEqual(['role_in_use', 1])
})
