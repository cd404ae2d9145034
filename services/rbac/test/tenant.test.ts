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

describe('createTenant', () => {
  test('gives the tenant the built-in roles admin, with every permission, and viewer, which only reads', async () => {
    const { tenant, roles } = await onboard()
    expect(roles.map((role) => role.name).sort()).toEqual(['admin', 'viewer'])
    const listed = await world.asTenant(tenant.id).get('/v1/rbac/roles')
    const byName = new Map<string, string[]>(
      listed.body.data.map((role: { name: string; permissions: string[] }) => [role.name, role.permissions]),
    )
    expect(byName.get('admin')).toEqual([...permissionNames].sort())
    expect(byName.get('viewer')).toContain('apikey:ReadKey')
    expect(byName.get('viewer')?.every((name) => /:Read[A-Z]/.test(name))).toBe(true)
  })

  test('names the field that is wrong and creates nothing', async () => {
    const reply = await world.asService.post('/internal/tenants', { name: '' })
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/name' }] })
  })

  test('is closed to tenants, whatever they hold', async () => {
    const reply = await world.asTenant(randomUUID()).post('/internal/tenants', { name: 'Mallory' })
    expect(reply.status).toBe(401)
  })
})

describe('suspendTenant and resumeTenant', () => {
  test('bind what resolves next', async () => {
    const { tenant, roles } = await onboard()
    const resolve = () =>
      world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, { role_ids: roles.map((role) => role.id) })
    expect((await resolve()).body.tenant_status).toBe('active')
    expect((await world.asService.post(`/internal/tenants/${tenant.id}/suspend`)).body.status).toBe('suspended')
    expect((await resolve()).body.tenant_status).toBe('suspended')
    expect((await world.asService.post(`/internal/tenants/${tenant.id}/resume`)).body.status).toBe('active')
    expect((await resolve()).body.tenant_status).toBe('active')
  })

  test.each(['suspend', 'resume', 'resolve-roles'])('%s of an unknown tenant is tenant_not_found', async (verb) => {
    const reply = await world.asService.post(`/internal/tenants/${randomUUID()}/${verb}`)
    expect([reply.status, reply.body.code]).toEqual([404, 'tenant_not_found'])
  })

  test('a tenant reads back as it was onboarded', async () => {
    const { tenant } = await onboard('Umlaut Öl & Söhne')
    const reply = await world.asService.get(`/internal/tenants/${tenant.id}`)
    expect(reply.body).toMatchObject({ id: tenant.id, name: 'Umlaut Öl & Söhne', status: 'active' })
  })
})

describe('resolveRoles', () => {
  test('grants the union over the roles found, by id and by name, and lists what is unknown', async () => {
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

  test("another tenant's role is unknown", async () => {
    const [ours, theirs] = [await onboard(), await onboard()]
    const foreign = theirs.roles.map((role) => role.id)
    const reply = await world.asService.post(`/internal/tenants/${ours.tenant.id}/resolve-roles`, { role_ids: foreign })
    expect(reply.body).toMatchObject({ permissions: [], roles: [], unknown: foreign })
  })
})
