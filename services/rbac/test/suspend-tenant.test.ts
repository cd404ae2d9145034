import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
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

describe('suspendTenant and resumeTenant', () => {
  test('take effect with the next resolution', async () => {
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

  test('reads a tenant as onboarded', async () => {
    const { tenant } = await onboard('Umlaut Öl & Söhne')
    const reply = await world.asService.get(`/internal/tenants/${tenant.id}`)
    expect(reply.body).toMatchObject({ id: tenant.id, name: 'Umlaut Öl & Söhne', status: 'active' })
  })
})
