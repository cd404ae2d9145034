import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { introducedPermissions, permissionNames } from '@payments/contracts/grammar/permission'
import { asStandby } from '@payments/testing/database/database'
import { fewestRoundTrips } from '@payments/testing/database/round-trips'
import { until } from '@payments/testing/services/until'
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
    const { permissions, introduced } = reply.body
    expect(new Set([...permissions, ...introduced])).toEqual(new Set(permissionNames))
    expect(reply.body.unknown).toEqual([missing, 'janitor'])
  })

  test('names new permissions to a gateway apart from those that its previous release knows', async () => {
    const { tenant } = await world.onboard()
    const { body } = await world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {
      role_names: ['admin'],
    })
    expect(body.introduced).toEqual([...introducedPermissions].sort())
    const others = permissionNames.filter((permission) => !introducedPermissions.has(permission)).sort()
    expect([body.permissions, body.roles[0].permissions]).toEqual([others, others])
  })

  test('names all permissions to api-key, which compares them with those of a caller', async () => {
    const { tenant } = await world.onboard()
    const { body } = await world.asApiKey.post(`/internal/tenants/${tenant.id}/resolve-roles`, {
      role_names: ['admin'],
    })
    expect(body.permissions).toEqual([...permissionNames].sort())
    expect(body.roles[0].permissions).toEqual([...permissionNames].sort())
  })

  test('names the catalogue of its release, as the authorization version does', async () => {
    const { tenant } = await world.onboard()
    const { body } = await world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {})
    const version = await world.asService.get('/internal/authorization-version')
    expect(body.catalogue).toMatch(/^[\w-]{16}$/)
    expect(version.body.catalogue).toBe(body.catalogue)
  })

  test('takes one round trip to the database', async () => {
    const { tenant, roles } = await world.onboard()
    const resolve = (purpose: string) =>
      world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {
        role_ids: roles.map(({ id }) => id),
        role_names: ['viewer'],
        purpose,
      })
    expect(await fewestRoundTrips(() => resolve('authorize'))).toBe(1)
    expect(await fewestRoundTrips(() => resolve('assign'))).toBe(1)
  })

  test('fails on a server in recovery, whose state may be old', async () => {
    const { tenant } = await world.onboard()
    const resolve = () =>
      world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, { role_ids: [], role_names: [] })
    const endStandby = await asStandby(world.database)
    expect((await resolve()).status).toBe(500)
    await endStandby()
    // Connections that saw the recovery end one by one.
    await until(async () => (await resolve()).status === 200)
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
