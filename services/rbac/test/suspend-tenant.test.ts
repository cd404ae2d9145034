import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('suspendTenant', () => {
  test('takes effect with the next resolution, for this tenant alone', async () => {
    const [{ tenant, roles }, other] = [await world.onboard(), await world.onboard()]
    const readStatus = async (id: string) =>
      (await world.asService.post(`/internal/tenants/${id}/resolve-roles`, { role_ids: roles.map((role) => role.id) }))
        .body.tenant_status
    expect(await readStatus(tenant.id)).toBe('active')
    const reply = await world.asService.post(`/internal/tenants/${tenant.id}/suspend`)
    expect([reply.status, reply.body]).toEqual([
      200,
      { ...tenant, updated_at: expect.any(String), status: 'suspended' },
    ])
    expect(await readStatus(tenant.id)).toBe('suspended')
    expect(await readStatus(other.tenant.id)).toBe('active')
  })

  test('suspend of an unknown tenant is tenant_not_found', async () => {
    const reply = await world.asService.post(`/internal/tenants/${randomUUID()}/suspend`)
    expect([reply.status, reply.body.code]).toEqual([404, 'tenant_not_found'])
  })
})
