import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Explanation } from '@payments/contracts/services/webhooks/delivery'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { type Subscribed, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

/** The API explains why an event was not delivered. */
let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({
    schedule: '0s,100ms',
    breaker: { attemptsMin: 1_000, connectErrorsMax: 1, probeAfterMs: 60_000 },
  })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

async function publish({ tenantId, unitId }: Subscribed, given = {}) {
  const event = someEvent(tenantId, unitId, given)
  await world.publish(event)
  return event
}

const explainTo = ({ tenant, unitId }: Subscribed, eventId: string) =>
  tenant.get(`/v1/webhooks/${unitId}/events/${eventId}`)

/** The explanation of the subscription, once it has the outcome. */
async function explained(subscribed: Subscribed, eventId: string, outcome: string) {
  let found: Explanation['subscriptions'][number] | undefined
  await until(async () => {
    const { body } = await explainTo(subscribed, eventId)
    found = body.subscriptions?.find((one: { subscription_id: string }) => one.subscription_id === subscribed.id)
    return found?.outcome === outcome
  })
  return found
}

const change = ({ id }: Subscribed, data: object) =>
  world.db.acrossTenants((tx) => tx.subscription.update({ where: { id }, data }))

test('names the attempt that the receiver accepted', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const event = await publish(subscribed)
  const explanation = await explained(subscribed, event.id, 'delivered')
  expect(explanation?.reason).toMatch(/^The receiver accepted attempt 1 at 20/)
  const { body } = await explainTo(subscribed, event.id)
  expect(body).toMatchObject({
    tenant_event_id: event.id,
    event_type: event.type,
    occurred_at: event.occurred_at,
    payload: event.payload,
    subscriptions: [{ subscription_id: subscribed.id, delivery_id: (await subscribed.deliveries())[0]?.id }],
  })
})

test('names the error of a dead delivery, and the actor and reason of a discard', async () => {
  endpoint.respondWith(() => ({ status: 503 }))
  const subscribed = await subscribe(world, endpoint.url)
  const event = await publish(subscribed)
  expect((await explained(subscribed, event.id, 'dead'))?.reason).toMatch(
    /^The last of 2 attempts failed at 20\S+: status: responded with 503$/,
  )
  await subscribed.tenant.post('/v1/webhooks/dead-letters/discard', { filter: {}, reason: 'of no use' })
  expect((await explained(subscribed, event.id, 'discarded'))?.reason).toMatch(
    /^Discarded by api_key:\S+\. Reason: of no use$/,
  )
})

test('reports that event_types do not match, or did not match at the time', async () => {
  const subscribed = await subscribe(world, endpoint.url, { event_types: ['payment-proxy.transactions.refund'] })
  const event = await publish(subscribed)
  const explanation = await explained(subscribed, event.id, 'not_matched')
  expect(explanation).toMatchObject({
    delivery_id: null,
    reason: 'The event_types of the subscription do not match payment-proxy.transactions.capture',
  })
  await change(subscribed, { eventTypes: ['payment-proxy.*'] })
  expect((await explained(subscribed, event.id, 'not_matched'))?.reason).toContain('since a later change')
})

test('reports a delivery that fan-out has still to create', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const { id: tenantEventId, occurred_at: occurredAt } = await publish(subscribed)
  await explained(subscribed, tenantEventId, 'delivered')
  // As if the event had so many subscriptions that this one is on a later page, which waits for an hour.
  await world.db.inTenant(subscribed.tenantId, async (tx) => {
    await tx.delivery.deleteMany()
    const position = '00000000-0000-0000-0000-000000000000'
    const row = { id: randomUUID(), tenantId: subscribed.tenantId, tenantEventId, occurredAt, position, deliveries: 16 }
    await tx.unfinishedFanOut.create({ data: { ...row, dueAt: new Date(Date.now() + 3_600_000) } })
  })
  expect(await explained(subscribed, tenantEventId, 'pending')).toMatchObject({
    delivery_id: null,
    reason: 'The delivery will be created: the event has many subscriptions',
  })
})

test('reports that the subscription was created after the event, disabled or deleted', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const event = await publish(subscribed)
  await explained(subscribed, event.id, 'delivered')
  const later = await subscribe(world, endpoint.url, { tenantId: subscribed.tenantId, unitId: subscribed.unitId })
  expect((await explained(later, event.id, 'not_matched'))?.reason).toMatch(/created after the event/)
  await change(subscribed, { enabled: false })
  const held = await publish(subscribed)
  expect((await explained(subscribed, held.id, 'held'))?.reason).toMatch(/^The subscription has been disabled since 20/)
  await subscribed.tenant.delete(subscribed.path)
  expect((await explained(subscribed, held.id, 'discarded'))?.reason).toMatch(/^The subscription was deleted at 20/)
})

test('reports an open circuit breaker, and the time of the next attempt', async () => {
  const subscribed = await subscribe(world, 'http://127.0.0.1:1/closed')
  const first = await publish(subscribed)
  const explanation = await explained(subscribed, first.id, 'held')
  expect(explanation?.reason).toMatch(/^The circuit breaker has been open since 20\S+\. .*failed: connect/)
  await change(subscribed, { enabled: true })
  await world.db.acrossTenants(async (tx) => {
    await tx.delivery.updateMany({
      where: { subscriptionId: subscribed.id },
      data: {
        status: 'retrying',
        backlogged: false,
        sweepAt: new Date('2031-01-01'),
        nextAttemptAt: new Date('2031-01-01'),
      },
    })
  })
  expect((await explained(subscribed, first.id, 'retrying'))?.reason).toMatch(
    /^Attempt 2 is due at 2031-01-01T00:00:00.000Z, .*\. Attempt 1 failed: connect/,
  )
})

test('returns 404 for events of another business unit or tenant, and finds events of the tenant in each unit', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const event = await publish(subscribed)
  await explained(subscribed, event.id, 'delivered')
  for (const reply of [
    await explainTo({ ...subscribed, ...(await tenantWithUnit(world, subscribed.tenantId)) }, event.id),
    await explainTo({ ...subscribed, ...(await tenantWithUnit(world)) }, event.id),
    await explainTo(subscribed, randomUUID()),
  ]) {
    expect([reply.status, reply.body.code]).toEqual([404, 'event_not_found'])
  }
  const whole = await publish(subscribed, { business_unit_id: null })
  expect(await explained(subscribed, whole.id, 'delivered')).toBeDefined()
})
