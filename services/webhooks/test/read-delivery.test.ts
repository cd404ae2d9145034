import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { startDeliveryWorld } from './delivery-world.ts'
import { settled, someEvent, subscribe, tenantWithUnit } from './world.ts'

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

test('shows the request that was sent, without the signature', async () => {
  const [row] = await subscribed.deliveries(`?status=delivered&subscription_id=${subscribed.id}`)
  const sent = world.endpoint.received.find(({ headers }) => headers['webhook-id'] === row?.tenant_event_id)
  const { request, attempts } = await subscribed.delivery(row?.id ?? '')
  expect(request).toEqual({
    method: 'POST',
    url: `${world.endpoint.url}/good`,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': sent?.headers['user-agent'],
      'Trace-ID': sent?.headers['trace-id'],
      traceparent: sent?.headers['traceparent'],
      'webhook-id': row?.tenant_event_id,
      'webhook-timestamp': String(Math.floor(Date.parse(attempts[0]?.started_at ?? '') / 1000)),
      'webhook-signature': 'v1,…',
    },
    body: sent?.body.toString('utf8'),
  })
})

test('shows the request that a held delivery will send, without time and signature', async () => {
  const { tenantId, unitId } = subscribed
  const held = await subscribe(world, world.endpoint.url, { tenantId, unitId, enabled: false })
  await world.publish(someEvent(tenantId, unitId))
  const { request, attempts } = await settled(held, 'held')
  expect(attempts).toEqual([])
  expect(Object.keys(request?.headers ?? {})).not.toContain('webhook-signature')
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ tenant_id: tenantId })
})

test('shows some headers of the response, and no request once the event has expired', async () => {
  const headers = { 'x-request-id': 'r-1', 'set-cookie': 'session=1', location: '/later', server: 's'.repeat(2_000) }
  world.endpoint.respondWith(() => ({ status: 200, headers }))
  const other = await subscribe(world, world.endpoint.url)
  await world.publish(someEvent(other.tenantId, other.unitId))
  const { id, attempts } = await settled(other, 'delivered')
  const shown = attempts[0]?.response_headers ?? {}
  expect(Object.keys(shown).join()).toMatch(/^(content-length,)?date,server$/)
  expect(JSON.stringify(shown).length).toBeLessThan(2_048)
  await world.db.inTenant(other.tenantId, (tx) => tx.event.deleteMany())
  expect((await other.delivery(id)).request).toBeNull()
  world.endpoint.respondWith(() => ({ status: 200, headers: { 'x-request-id': 'r-1', 'set-cookie': 'session=1' } }))
  await world.publish(someEvent(other.tenantId, other.unitId))
  await until(async () => (await other.deliveries()).length === 2)
  const [newest] = await other.deliveries()
  await until(async () => (await other.delivery(newest?.id ?? '')).attempts.length === 1)
  const [attempt] = (await other.delivery(newest?.id ?? '')).attempts
  expect(attempt?.response_headers).toMatchObject({ 'x-request-id': 'r-1' })
  expect(attempt?.response_headers).not.toHaveProperty('set-cookie')
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

test('shows the latest attempts, as many as fit into a page', async () => {
  const held = await subscribe(world, world.endpoint.url, { enabled: false })
  await world.publish(someEvent(held.tenantId, held.unitId))
  const { id } = await settled(held, 'held')
  const count = 1_000
  await world.rows(
    `INSERT INTO attempts (delivery_id, number, tenant_id, started_at, duration_ms, response_body, response_truncated,
       timings)
     SELECT $1::uuid, n, $2::uuid, now(), 1, convert_to(repeat('x', 16384), 'UTF8'), false,
       '{"dns_ms": null, "connect_ms": null, "tls_ms": null, "first_byte_ms": null}'
     FROM generate_series(1, $3::int) AS n`,
    id,
    held.tenantId,
    count,
  )
  const { attempts } = await held.delivery(id)
  expect(attempts.length).toBeGreaterThan(25)
  expect(attempts.length).toBeLessThan(33)
  const numbers = attempts.map(({ number }) => number)
  expect(numbers).toEqual(Array.from(attempts, (_, index) => count - attempts.length + 1 + index))
})
