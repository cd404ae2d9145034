import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fewestRoundTrips } from '@payments/testing/database/round-trips'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readKeyPermissions', () => {
  test('lists the permissions of all roles, sorted, also for a disabled key', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: created } = await user.create({ enabled: undefined })
    const roles = [
      await tenant.role(['transaction:VoidTransaction', 'apikey:ReadKey']),
      await tenant.role(['apikey:ReadKey', 'audit:ReadRecord']),
    ]
    await user.assign(created.id, roles)
    await user.update(created.id, { enabled: false })
    const reply = await tenant.by(['apikey:ReadKey']).permissions(created.id)
    expect(reply.body).toEqual({
      data: ['apikey:ReadKey', 'audit:ReadRecord', 'transaction:VoidTransaction'],
      next_cursor: null,
    })
  })

  test('reads the key with one round trip, and its roles with another', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: created } = await user.create()
    await user.assign(created.id, [tenant.viewerRole])
    expect(await fewestRoundTrips(() => user.permissions(created.id))).toBe(2)
  })

  test('with explain, names for each permission the roles that grant it', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: created } = await user.create()
    expect((await user.permissions(created.id, '?explain=true')).body).toEqual({ data: [], next_cursor: null })
    const audit = await tenant.role(['audit:ReadRecord'])
    await user.assign(created.id, [tenant.viewerRole, audit])
    const { data: plain } = (await user.permissions(created.id, '?explain=false')).body
    const { data } = (await user.permissions(created.id, '?explain=true')).body as {
      data: { permission: string; granted_by: { role_id: string; role_name: string }[] }[]
    }
    expect(data.map(({ permission }) => permission)).toEqual(plain)
    const viewer = { role_id: tenant.viewerRole, role_name: 'viewer' }
    const findGranters = (name: string) => data.find(({ permission }) => permission === name)?.granted_by
    expect(findGranters('apikey:ReadKey')).toEqual([viewer])
    expect(findGranters('audit:ReadRecord')).toHaveLength(2)
    expect(findGranters('audit:ReadRecord')).toEqual(
      expect.arrayContaining([viewer, { role_id: audit, role_name: expect.any(String) }]),
    )
    const malformed = await user.permissions(created.id, '?explain=yes')
    expect([malformed.status, malformed.body.errors[0].pointer]).toEqual([400, '/query/explain'])
  })
})
