import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('resumeTenant', () => {
  test('takes effect with the next resolution, for this tenant alone', async () => {
    const [{ tenant, roles }, other] = [await world.onboard(), await world.onboard()]
    const readStatus = async (id: string) =>
      (await world.asService.post(`/internal/tenants/${id}/resolve-roles`, { role_ids: roles.map((role) => role.id) }))
        .body.tenant_status
    for (const { id } of [tenant, other.tenant]) await world.asService.post(`/internal/tenants/${id}/suspend`)
    expect(await readStatus(tenant.id)).toBe('suspended')
    const reply = await world.asService.post(`/internal/tenants/${tenant.id}/resume`)
    expect([reply.status, reply.body]).toEqual([200, { ...tenant, updated_at: expect.any(String), status: 'active' }])
    expect(await readStatus(tenant.id)).toBe('active')
    expect(await readStatus(other.tenant.id)).toBe('suspended')
  })

  test('resume of an unknown tenant is tenant_not_found', async () => {
    const reply = await world.asService.post(`/internal/tenants/${randomUUID()}/resume`)
    expect([reply.status, reply.body.code]).toEqual([404, 'tenant_not_found'])
  })
})
