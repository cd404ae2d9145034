import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const count = async (tenantId: string) => {
  const reply = await world.asService.countKeys(tenantId)
  expect(reply.status).toBe(200)
  return reply.body as { total: number; usable: number }
}

test('counts all keys of the tenant, and those that are enabled, not expired and have a role', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const keys = []
  for (const _ of [1, 2, 3, 4]) keys.push((await tenant.by().create()).body.id as string)
  const [withRole = '', disabled = '', expired = ''] = keys
  expect(await count(tenant.id)).toEqual({ total: 4, usable: 0 })
  for (const key of [withRole, disabled, expired]) await tenant.by().assign(key, [tenant.viewerRole])
  expect(await count(tenant.id)).toEqual({ total: 4, usable: 3 })
  await tenant.by().update(disabled, { enabled: false })
  await tenant.by().update(expired, { expires_at: new Date().toISOString() })
  expect(await count(tenant.id)).toEqual({ total: 4, usable: 1 })
  await tenant.by().remove(withRole)
  expect(await count(tenant.id)).toEqual({ total: 3, usable: 0 })
  expect(await count(other.id)).toEqual({ total: 0, usable: 0 })
})
