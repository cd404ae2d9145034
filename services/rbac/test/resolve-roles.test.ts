import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/permission'
import { asStandby } from '@payments/testing/database'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('resolveRoles', () => {
  test('returns the permissions of all roles found by id and name, and lists unknown roles', async () => {
    const { tenant, roles } = await world.onboard()
    const viewer = roles.find((role) => role.name === 'viewer')
    const missing = randomUUID()
    const reply = await world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {
      role_ids: [viewer?.id, missing],
      role_names: ['admin', 'janitor'],
    })
    expect(reply.body.permissions).toEqual([...permissionNames].sort())
    expect(reply.body.unknown).toEqual([missing, 'janitor'])
  })

  test('fails on a server in recovery, whose state may be old', async () => {
    const { tenant } = await world.onboard()
    const resolve = () =>
      world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, { role_ids: [], role_names: [] })
    const endStandby = await asStandby(world.database)
    expect((await resolve()).status).toBe(500)
    await endStandby()
    expect((await resolve()).status).toBe(200)
  })

  test('a role of another tenant is unknown', async () => {
    const [ours, theirs] = [await world.onboard(), await world.onboard()]
    const foreign = theirs.roles.map((role) => role.id)
    const reply = await world.asService.post(`/internal/tenants/${ours.tenant.id}/resolve-roles`, { role_ids: foreign })
    expect(reply.body).toMatchObject({ permissions: [], roles: [], unknown: foreign })
  })

  test('resolve-roles of an unknown tenant is tenant_not_found', async () => {
    const reply = await world.asService.post(`/internal/tenants/${randomUUID()}/resolve-roles`)
    expect([reply.status, reply.body.code]).toEqual([404, 'tenant_not_found'])
  })
})
