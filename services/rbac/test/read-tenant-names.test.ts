import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readTenantNames', () => {
  const read = (ids: readonly string[]) => world.asService.post('/internal/tenants/names', { tenant_ids: ids })

  test('reads names and statuses of the given tenants only, and leaves out unknown ones', async () => {
    const [{ tenant: one }, { tenant: two }] = [await world.onboard('One'), await world.onboard('Two')]
    await world.onboard('Three')
    await world.asService.post(`/internal/tenants/${two.id}/suspend`)
    expect((await read([two.id, randomUUID(), one.id.toUpperCase()])).body).toEqual({
      tenants: [
        { id: one.id, name: 'One', status: 'active' },
        { id: two.id, name: 'Two', status: 'suspended' },
      ],
    })
    expect((await read([])).body).toEqual({ tenants: [] })
  })

  test('reads at most 100 tenants at once', async () => {
    const ids = Array.from({ length: 101 }, () => randomUUID())
    expect(outcome(await read(ids))).toEqual([400, 'invalid_request'])
  })
})
