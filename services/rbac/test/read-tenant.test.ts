import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readTenant', () => {
  test('reads a tenant as onboarded', async () => {
    const { tenant } = await world.onboard('Umlaut Öl & Söhne')
    const reply = await world.asService.get(`/internal/tenants/${tenant.id}`)
    expect(reply.body).toMatchObject({ id: tenant.id, name: 'Umlaut Öl & Söhne', status: 'active' })
  })

  test('shows the roles of the tenant by name, and no role of another tenant', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const { body: role } = await tenant.by().create({ name: 'Refunds' })
    await other.by().create({ name: 'Other' })
    const { body } = await world.asService.get(`/internal/tenants/${tenant.id}`)
    expect(body.roles).toHaveLength(3)
    expect(body.roles).toEqual(
      expect.arrayContaining([
        { id: tenant.adminRole, name: 'admin', kind: 'built_in' },
        { id: tenant.viewerRole, name: 'viewer', kind: 'built_in' },
        { id: role.id, name: 'Refunds', kind: 'custom' },
      ]),
    )
  })

  test('shows the suspension of a tenant, and changes nothing', async () => {
    const { tenant } = await world.onboard()
    await world.asService.post(`/internal/tenants/${tenant.id}/suspend`)
    const { epoch } = await world.epoch()
    expect((await world.asService.get(`/internal/tenants/${tenant.id}`)).body.status).toBe('suspended')
    expect((await world.epoch()).epoch).toBe(epoch)
  })

  test('an unknown tenant is tenant_not_found', async () => {
    const reply = await world.asService.get(`/internal/tenants/${randomUUID()}`)
    expect([reply.status, reply.body.code]).toEqual([404, 'tenant_not_found'])
  })
})
