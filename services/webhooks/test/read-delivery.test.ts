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

test('shows every attempt, regardless of the bytes of the response', async () => {
  const [row] = await subscribed.deliveries('?status=delivered')
  const delivery = await subscribed.delivery(row?.id ?? '')
  expect(delivery.attempts).toHaveLength(1)
  expect(delivery.attempts[0]).toMatchObject({ number: 1, status_code: 200, response_body: '\u0000ü' })
  expect(delivery.attempts[0]?.timings.first_byte_ms).toEqual(expect.any(Number))
})

test('shows the latest 1000 attempts, oldest first', async () => {
  const [row] = await subscribed.deliveries('?status=delivered')
  await world.db.acrossTenants((tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO attempts (delivery_id, number, tenant_id, started_at, duration_ms, response_truncated, timings)
       SELECT delivery_id, generate_series(2, 1001), tenant_id, started_at, duration_ms, response_truncated, timings
       FROM attempts WHERE delivery_id = $1::uuid`,
      row?.id,
    ),
  )
  const { attempts } = await subscribed.delivery(row?.id ?? '')
  expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 2))
})

test('returns the same 404 for a delivery of another tenant, of another business unit, and a missing one', async () => {
  const [row] = await subscribed.deliveries()
  const [sibling, stranger] = [await tenantWithUnit(world, subscribed.tenantId), await tenantWithUnit(world)]
  const replies = [
    await stranger.tenant.get(`/v1/webhooks/${stranger.unitId}/deliveries/${row?.id}`),
    await subscribed.tenant.get(`/v1/webhooks/${subscribed.unitId}/deliveries/${randomUUID()}`),
    await subscribed.tenant.get(`/v1/webhooks/${sibling.unitId}/deliveries/${row?.id}`),
  ]
  expect(new Set(replies.map((reply) => JSON.stringify({ ...reply.body, trace_id: '' }))).size).toBe(1)
  expect(replies[0]?.body.code).toBe('delivery_not_found')
})
