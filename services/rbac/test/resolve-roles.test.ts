import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/permission'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function onboard(name = 'Acme') {
  const reply = await world.asService.post('/internal/tenants', { name })
  expect(reply.status).toBe(201)
  return reply.body as { tenant: { id: string }; roles: { id: string; name: string }[] }
}

describe('resolveRoles', () => {
  test('returns the permissions of all roles found by id and name, and lists unknown roles', async () => {
    const { tenant, roles } = await onboard()
    const viewer = roles.find((role) => role.name === 'viewer')
    const missing = randomUUID()
    const reply = await world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {
      role_ids: [viewer?.id, missing],
      role_names: ['admin', 'janitor'],
    })
    expect(reply.body.permissions).toEqual([...permissionNames].sort())
    expect(reply.body.unknown).toEqual([missing, 'janitor'])
  })

  test('a role of another tenant is unknown', async () => {
    const [ours, theirs] = [await onboard(), await onboard()]
    const foreign = theirs.roles.map((role) => role.id)
    const reply = await world.asService.post(`/internal/tenants/${ours.tenant.id}/resolve-roles`, { role_ids: foreign })
    expect(reply.body).toMatchObject({ permissions: [], roles: [], unknown: foreign })
  })
})
