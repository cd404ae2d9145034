import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { erasuresAt } from './erasures.ts'
import { startWorld, type World } from './world.ts'

let world: World
let erasures: ReturnType<typeof erasuresAt>
beforeAll(async () => {
  world = await startWorld()
  erasures = erasuresAt(world)
})
afterAll(() => world.stop())

test('lists erasures, newest first, of all tenants or of one', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const first = await erasures.begin(tenant, 'one@example.com', '01990000-0000-7000-8000-000000000001')
  const second = await erasures.begin(tenant, 'two@example.com', '01990000-0000-7000-8000-000000000002')
  await erasures.begin(stranger, 'one@example.com', '01990000-0000-7000-8000-000000000003')
  const path = '/internal/payer-erasures'
  const own = await world.asOperator.get(`${path}?tenant_id=${tenant.id}`).expect(200)
  expect(own.body.data).toEqual([second, first])
  const page = await world.asOperator.get(`${path}?tenant_id=${tenant.id}&limit=1`).expect(200)
  const rest = await world.asOperator.get(`${path}?tenant_id=${tenant.id}&cursor=${page.body.next_cursor}`).expect(200)
  expect([page.body.data, rest.body.data]).toEqual([[second], [first]])
  expect((await world.asOperator.get(path).expect(200)).body.data.length).toBeGreaterThan(2)
})
