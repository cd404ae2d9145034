import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const change = (tenantId: string, action: string) => world.asService.post(`/internal/tenants/${tenantId}/${action}`)
const readStatus = async (tenantId: string) =>
  (await world.asService.post(`/internal/tenants/${tenantId}/resolve-roles`, { role_ids: [randomUUID()] })).body
    .tenant_status

describe.each([
  ['suspendTenant', 'suspend', 'suspended'],
  ['resumeTenant', 'resume', 'active'],
])('%s', (_operation, action, status) => {
  test('takes effect with the next resolution, for this tenant alone', async () => {
    const [{ tenant }, other] = [await world.onboard(), await world.onboard()]
    const before = status === 'active' ? 'suspended' : 'active'
    if (before === 'suspended') for (const { id } of [tenant, other.tenant]) await change(id, 'suspend')
    expect(await readStatus(tenant.id)).toBe(before)
    const reply = await change(tenant.id, action)
    expect([reply.status, reply.body]).toEqual([200, { ...tenant, updated_at: expect.any(String), status }])
    expect(await readStatus(tenant.id)).toBe(status)
    expect(await readStatus(other.tenant.id)).toBe(before)
  })

  test('of an unknown tenant is tenant_not_found', async () => {
    const reply = await change(randomUUID(), action)
    expect([reply.status, reply.body.code]).toEqual([404, 'tenant_not_found'])
  })
})
