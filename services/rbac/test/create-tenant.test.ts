import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('createTenant', () => {
  test('creates the built-in roles: admin with every permission, and viewer with read permissions', async () => {
    const { tenant, roles } = await world.onboard()
    expect(roles.map((role) => role.name).sort()).toEqual(['admin', 'viewer'])
    const listed = await world.asTenant(tenant.id).get('/v1/rbac/roles')
    const byName = new Map<string, string[]>(
      listed.body.data.map((role: { name: string; permissions: string[] }) => [role.name, role.permissions]),
    )
    expect(byName.get('admin')).toEqual([...permissionNames].sort())
    expect(byName.get('viewer')).toContain('apikey:ReadKey')
    expect(byName.get('viewer')?.every((name) => /:Read[A-Z]/.test(name))).toBe(true)
  })

  test('names the invalid field and creates nothing', async () => {
    const reply = await world.asService.post('/internal/tenants', { name: '' })
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/name' }] })
  })

  test('rejects tenants, regardless of their permissions', async () => {
    const reply = await world.asTenant(randomUUID()).post('/internal/tenants', { name: 'Mallory' })
    expect(reply.status).toBe(401)
  })
})
