import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startDeliveryWorld } from './delivery-world.ts'
import { tenantWithUnit } from './world.ts'

let world: Awaited<ReturnType<typeof startDeliveryWorld>>
let subscribed: (typeof world)['subscribed']
beforeAll(async () => {
  world = await startDeliveryWorld()
  subscribed = world.subscribed
})
afterAll(() => world.stop())

test('pages newest first', async () => {
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const path: string = `/v1/webhooks/${subscribed.unitId}/deliveries?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { body } = await subscribed.tenant.get(path)
    seen.push(...body.data.map((delivery: { id: string }) => delivery.id))
    cursor = body.next_cursor
  }
  expect(seen).toEqual([...new Set(seen)].sort().reverse())
  expect(seen).toHaveLength(3)
})

test('a delivery has the same fields in the list and alone', async () => {
  const [listed] = await subscribed.deliveries('?status=dead')
  expect(await subscribed.delivery(listed?.id ?? '')).toMatchObject({ ...listed })
})

test('filters by status, event type, subscription and time', async () => {
  const count = async (query: string) => (await subscribed.deliveries(`?${query}`)).length
  expect(await count('status=dead')).toBe(1)
  expect(await count('event_type=api-key.keys.create')).toBe(2)
  expect(await count(`subscription_id=${subscribed.id}`)).toBe(2)
  expect(await count('created_after=2000-01-01T00:00:00Z')).toBe(3)
  expect(await count('created_before=2000-01-01T00:00:00%2B02:00')).toBe(0)
  expect(await count(`status=delivered&subscription_id=${subscribed.id}&event_type=api-key.keys.create`)).toBe(1)
})

test('filters by several statuses, event, status code and error kind', async () => {
  const count = async (query: string) => (await subscribed.deliveries(`?${query}`)).length
  const [dead] = await subscribed.deliveries('?status=dead')
  expect(await count('status=dead,delivered')).toBe(3)
  expect(await count('status=dead,delivering,held,dead')).toBe(1)
  expect(await count('status=delivering')).toBe(0)
  expect(await count(`tenant_event_id=${dead?.tenant_event_id}`)).toBe(2)
  expect(await count(`tenant_event_id=${dead?.tenant_event_id}&status=dead`)).toBe(1)
  expect(await count(`tenant_event_id=${randomUUID()}`)).toBe(0)
  expect([await count('status_code=500'), await count('status_code=200'), await count('status_code=404')]).toEqual([
    1, 2, 0,
  ])
  expect([await count('error_kind=status'), await count('error_kind=timeout')]).toEqual([1, 0])
})

test.each([
  ...['status=dead,', 'status=dead,done', 'status_code=1000', 'error_kind=unlucky', 'tenant_event_id=1'],
  ...['status=done', 'created_after=yesterday', 'subscription_id=1', 'page=2'],
])('rejects ?%s', async (query) => {
  const { status, body } = await subscribed.tenant.get(`/v1/webhooks/${subscribed.unitId}/deliveries?${query}`)
  expect([status, body.errors[0].pointer]).toEqual([400, `/query/${query.split('=')[0]}`])
})

test('shows no deliveries of another tenant', async () => {
  const { tenant, unitId } = await tenantWithUnit(world)
  const reply = await tenant.get(`/v1/webhooks/${unitId}/deliveries`)
  expect(reply.body).toEqual({ data: [], next_cursor: null })
})
