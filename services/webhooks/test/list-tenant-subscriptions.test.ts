import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ListedSubscription } from '@payments/contracts/services/webhooks/contract'
import { startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'
const path = '/v1/webhooks/subscriptions'

/** A tenant with two subscriptions of one unit and, between them, one of another unit. */
async function subscribeThrice() {
  const first = await subscribe(world, url)
  const { tenantId, unitId, tenant } = first
  const second = await subscribe(world, url, { tenantId, enabled: false })
  const third = await subscribe(world, url, { tenantId, unitId })
  const list = async (query = 'limit=50') => (await tenant.get(`${path}?${query}`)).body.data as ListedSubscription[]
  return { first, second, third, tenant, list }
}

const listIds = (listed: readonly { id: string }[]) => listed.map(({ id }) => id)

test('lists the subscriptions of every unit, newest first, as the lists of the units have them', async () => {
  const { first, second, third, tenant, list } = await subscribeThrice()
  const listed = await list()
  expect(listIds(listed)).toEqual(listIds([third, second, first]))
  const ofUnits = [await tenant.get(first.unitPath), await tenant.get(second.unitPath)].flatMap(({ body }) => body.data)
  expect(new Set(listed)).toEqual(new Set(ofUnits))
  expect(listed.every(({ secret }) => /^whsec_…/.test(secret))).toBe(true)
})

test('pages through the units', async () => {
  const { tenant, list } = await subscribeThrice()
  const one = await tenant.get(`${path}?limit=2`)
  const two = await tenant.get(`${path}?limit=2&cursor=${one.body.next_cursor}`)
  expect([...one.body.data, ...two.body.data]).toEqual(await list())
  expect([one.body.data.length, two.body.next_cursor]).toEqual([2, null])
})

test('filters by unit, page by page', async () => {
  const { first, second, third, tenant, list } = await subscribeThrice()
  const ofFirst = `business_unit_id=${first.unitId}`
  expect(listIds(await list(ofFirst))).toEqual(listIds([third, first]))
  expect(listIds(await list(`business_unit_id=${second.unitId}`))).toEqual([second.id])
  expect(await list(`business_unit_id=${randomUUID()}`)).toEqual([])
  const one = await tenant.get(`${path}?${ofFirst}&limit=1`)
  const two = await tenant.get(`${path}?${ofFirst}&limit=1&cursor=${one.body.next_cursor}`)
  expect([listIds(one.body.data), listIds(two.body.data), two.body.next_cursor]).toEqual([[third.id], [first.id], null])
})

test('has the health of each subscription on request', async () => {
  const { list } = await subscribeThrice()
  const states = (await list('include=health')).map(({ health }) => health?.state)
  expect(states).toEqual(['active', 'disabled', 'active'])
  expect((await list('include=health&limit=1')).map(({ health }) => health?.held)).toEqual([0])
  expect((await list()).some((one) => 'health' in one)).toBe(false)
})

test('shows no deleted subscription', async () => {
  const { first, second, third, tenant, list } = await subscribeThrice()
  expect((await tenant.delete(second.path)).status).toBe(204)
  expect(listIds(await list('include=health'))).toEqual(listIds([third, first]))
})

test('shows none of another tenant', async () => {
  const { first } = await subscribeThrice()
  const stranger = await tenantWithUnit(world)
  for (const query of ['limit=50', `business_unit_id=${first.unitId}`, 'include=health']) {
    expect((await stranger.tenant.get(`${path}?${query}`)).body).toEqual({ data: [], next_cursor: null })
  }
})

test('requires the permission of the list of a unit', async () => {
  const { tenantId } = await subscribe(world, url)
  const statusWith = async (permission: 'webhook:ReadSubscription' | 'webhook:ReadDelivery') =>
    (await world.asTenant(tenantId, [permission]).get(path)).status
  expect([await statusWith('webhook:ReadSubscription'), await statusWith('webhook:ReadDelivery')]).toEqual([200, 403])
})

test.each(['limit=0', 'cursor=x', 'business_unit_id=1', 'include=attempts', 'enabled=true'])(
  'rejects ?%s',
  async (query) => {
    const { status, body } = await world.asTenant(randomUUID()).get(`${path}?${query}`)
    expect([status, body.errors[0].pointer]).toEqual([400, `/query/${query.split('=')[0]}`])
  },
)
