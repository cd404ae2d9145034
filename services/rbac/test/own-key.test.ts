import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { type ConnectedWorld, startConnectedWorld } from './connected-world.ts'
import { startWorld, type TestTenant } from './world.ts'

let world: ConnectedWorld
beforeAll(async () => {
  world = await startConnectedWorld()
})
afterAll(() => world.stop())

const held: Permission[] = ['apikey:AssignRoles', 'apikey:ReadKey', 'rbac:UpdateRole', 'rbac:DeleteRole']

/** A key with one role per list of permissions, and the caller that uses the key. */
async function keyWith(tenant: TestTenant, ...granted: readonly Permission[][]) {
  const created = await Promise.all(granted.map((permissions) => tenant.by().create({ permissions })))
  const roles = created.map(({ body }) => body.id as string)
  const { id } = await world.key(tenant.id, roles)
  return { roles: roles as [string, ...string[]], key: tenant.byKey(id, [...new Set(granted.flat())]) }
}

describe('a key that edits one of its own roles', () => {
  test.each([
    ['everything', [], [...held].sort()],
    ['the permission to edit roles', ['apikey:AssignRoles', 'apikey:ReadKey', 'rbac:DeleteRole'], ['rbac:UpdateRole']],
    ['any other permission', held.slice(1), ['apikey:AssignRoles']],
  ] as const)('cannot remove %s from itself: own_key, and nothing changes', async (_, permissions, lost) => {
    const tenant = await world.tenant()
    const { roles, key } = await keyWith(tenant, held)
    const before = [await tenant.by().read(roles[0]), await tenant.events(), await world.epoch()]
    const reply = await key.update(roles[0], { permissions, description: 'edited' })
    expect([reply.status, reply.body.code, reply.body.lost_permissions]).toEqual([409, 'own_key', lost])
    const after = [await tenant.by().read(roles[0]), await tenant.events(), await world.epoch()]
    expect(after.map((one) => ('body' in one ? one.body : one))).toEqual(
      before.map((one) => ('body' in one ? one.body : one)),
    )
  })

  test('may remove permissions that another of its roles grants, and rename and describe the role', async () => {
    const tenant = await world.tenant()
    const { roles, key } = await keyWith(tenant, held, held)
    expect((await key.update(roles[0], { permissions: [], name: 'empty', description: 'x' })).status).toBe(200)
    const rejected = await key.update(roles[1] ?? '', { permissions: [] })
    expect([rejected.status, rejected.body.code]).toEqual([409, 'own_key'])
    expect((await key.update(roles[1] ?? '', { name: 'last', permissions: held })).status).toBe(200)
  })

  test('may remove permissions from roles of other keys', async () => {
    const tenant = await world.tenant()
    const { key } = await keyWith(tenant, held)
    const { roles } = await keyWith(tenant, held)
    expect((await key.update(roles[0], { permissions: [] })).status).toBe(200)
  })

  test('loses permissions by edits of another key or of a user', async () => {
    const tenant = await world.tenant()
    const { roles } = await keyWith(tenant, held)
    const { key: another } = await keyWith(tenant, held)
    expect((await another.update(roles[0], { permissions: held.slice(1) })).status).toBe(200)
    expect((await tenant.by().update(roles[0], { permissions: [] })).status).toBe(200)
  })

  test('cannot delete its own role: role_in_use', async () => {
    const tenant = await world.tenant()
    const { roles, key } = await keyWith(tenant, held)
    const reply = await key.remove(roles[0])
    expect([reply.status, reply.body.code]).toEqual([409, 'role_in_use'])
  })

  test('ten edits at once, one per role of the key: one role retains its permissions', async () => {
    const tenant = await world.tenant()
    const { roles, key } = await keyWith(tenant, ...Array.from({ length: 10 }, () => held))
    const replies = await Promise.all(roles.map((id) => key.update(id, { permissions: [] })))
    const codes = replies.map(({ status, body }): string => (status === 200 ? 'emptied' : body.code))
    expect(codes.sort()).toEqual([...Array(9).fill('emptied'), 'own_key'])
    expect((await tenant.resolve({ role_ids: roles })).permissions).toEqual([...held].sort())
  })
})

describe('while api-key is unavailable', () => {
  test('a key cannot edit permissions: 503, nothing changes; renames and users do not need api-key', async () => {
    const isolated = await startWorld()
    try {
      const tenant = await isolated.tenant()
      const { body: role } = await tenant.by().create({ permissions: held })
      const rejected = await tenant.by().update(role.id, { permissions: [] })
      expect([rejected.status, rejected.body.code]).toEqual([503, 'service_unavailable'])
      expect(rejected.text).not.toMatch(/127\.0\.0\.1|ECONN/)
      expect((await tenant.by().read(role.id)).body).toEqual(role)
      expect((await tenant.by().update(role.id, { name: 'renamed' })).status).toBe(200)
      expect((await tenant.by().update(role.id, { permissions: held.slice(0, 1) })).status).toBe(200)
    } finally {
      await isolated.stop()
    }
  })
})

test('ten keys that take the permissions of the next one at once leave one that has them', async () => {
  const tenant = await world.tenant()
  const keys = await Promise.all(Array.from({ length: 10 }, () => keyWith(tenant, held)))
  const replies = await Promise.all(
    keys.map(({ key }, i) => key.update(keys[(i + 1) % keys.length]?.roles[0] ?? '', { permissions: [] })),
  )
  for (const { status, body } of replies) expect([200, 'would_exceed_own_permissions']).toContain(body.code ?? status)
  const left = await Promise.all(keys.map(async ({ roles }) => (await tenant.by().read(roles[0])).body.permissions))
  expect(left).toContainEqual([...held].sort())
  expect(left).toContainEqual([])
})
