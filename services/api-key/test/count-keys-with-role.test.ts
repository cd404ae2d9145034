import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const count = async (tenantId: string, roleId: string) => {
  const reply = await world.asService.countWithRole(tenantId, roleId)
  expect(reply.status).toBe(200)
  return reply.body.count as number
}

test('counts the keys of the tenant that have the role, disabled and expired ones included', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const [role, spare] = [await tenant.role(['apikey:ReadKey']), await tenant.role(['apikey:ReadKey'])]
  expect(await count(tenant.id, role)).toBe(0)
  const keys = [await tenant.by().create(), await tenant.by().create()]
  for (const { body: key } of keys) expect((await tenant.by().assign(key.id, [role])).status).toBe(200)
  await tenant.by().update(keys[0]?.body.id, { enabled: false })
  expect([await count(tenant.id, role), await count(tenant.id, spare), await count(other.id, role)]).toEqual([2, 0, 0])
  await tenant.by().remove(keys[0]?.body.id)
  await tenant.by().assign(keys[1]?.body.id, [spare])
  expect([await count(tenant.id, role), await count(tenant.id, spare)]).toEqual([0, 1])
})

test('a role that is being deleted is not assigned, and still grants its permissions', async () => {
  const tenant = await world.tenant()
  const role = await tenant.role(['apikey:ReadKey'], 'Reader')
  const [{ body: holder }, { body: seeker }] = [await tenant.by().create(), await tenant.by().create()]
  await tenant.by().assign(holder.id, [role])
  await world.rbac.markDeleting(tenant.id, role)
  const rejected = await tenant.by().assign(seeker.id, [role])
  expect([rejected.status, rejected.body.code]).toEqual([422, 'unknown_role'])
  const first = await world.asService.issueKey(tenant.id, { name: 'first', role_name: 'Reader' })
  expect([first.status, first.body.code]).toEqual([422, 'unknown_role'])
  expect((await tenant.by().read(seeker.id)).body.role_ids).toEqual([])
  expect((await tenant.by().permissions(holder.id)).body).toEqual({ data: ['apikey:ReadKey'], next_cursor: null })
})
