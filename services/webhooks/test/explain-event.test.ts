import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Explanation } from '@payments/contracts/webhooks-delivery'
import { type Receiver, receiver } from '@payments/testing/receiver'
import { type Subscribed, someEvent, startWorld, subscribe, until, type World } from './world.ts'

/** "A reader of an undelivered event can say from the API alone why." */
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

/** What is said of the subscription, once that is the outcome. */
async function said(subscribed: Subscribed, eventId: string, outcome: string) {
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

test('says which attempt was received', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const event = await publish(subscribed)
  const explained = await said(subscribed, event.id, 'delivered')
  expect(explained?.reason).toMatch(/^received at attempt 1, at 20/)
  const { body } = await explainTo(subscribed, event.id)
  expect(body).toMatchObject({
    tenant_event_id: event.id,
    event_type: event.type,
    occurred_at: event.occurred_at,
    subscriptions: [{ subscription_id: subscribed.id, delivery_id: (await subscribed.deliveries())[0]?.id }],
  })
})

test('says that it was given up after which error, and who discarded it and why', async () => {
  endpoint.respondWith(() => ({ status: 503 }))
  const subscribed = await subscribe(world, endpoint.url)
  const event = await publish(subscribed)
  expect((await said(subscribed, event.id, 'dead'))?.reason).toMatch(
    /^given up at 20\S+ after 2 attempts: status: answered 503$/,
  )
  await subscribed.tenant.post('/v1/webhooks/dead-letters/discard', { filter: {}, reason: 'of no use' })
  expect((await said(subscribed, event.id, 'discarded'))?.reason).toMatch(
    /^discarded by api_key:\S+ because: of no use$/,
  )
})

test('says that the filter does not let it through, or did not then', async () => {
  const subscribed = await subscribe(world, endpoint.url, { event_types: ['payment-proxy.transactions.refund'] })
  const event = await publish(subscribed)
  const explained = await said(subscribed, event.id, 'not_matched')
  expect(explained).toMatchObject({
    delivery_id: null,
    reason: 'event_types of the subscription does not let payment-proxy.transactions.capture through',
  })
  await change(subscribed, { eventTypes: ['payment-proxy.*'] })
  expect((await said(subscribed, event.id, 'not_matched'))?.reason).toContain('since a later change')
})

test('says that the subscription came after the event, or went before it was sent', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const event = await publish(subscribed)
  await said(subscribed, event.id, 'delivered')
  const later = await subscribe(world, endpoint.url, { tenantId: subscribed.tenantId, unitId: subscribed.unitId })
  expect((await said(later, event.id, 'not_matched'))?.reason).toMatch(/created after the event/)
  await change(subscribed, { enabled: false })
  const held = await publish(subscribed)
  expect((await said(subscribed, held.id, 'held'))?.reason).toMatch(/^the subscription is disabled since 20/)
  await subscribed.tenant.delete(subscribed.path)
  expect((await said(subscribed, held.id, 'discarded'))?.reason).toMatch(/the subscription was deleted at 20/)
})

test('says that the destination keeps failing, and when the next attempt is due', async () => {
  const subscribed = await subscribe(world, 'http://127.0.0.1:1/nobody')
  const first = await publish(subscribed)
  const explained = await said(subscribed, first.id, 'held')
  expect(explained?.reason).toMatch(
    /^the destination keeps failing, so it is only probed since 20\S+; .*failed: connect/,
  )
  await change(subscribed, { enabled: true })
  await world.db.acrossTenants(async (tx) => {
    await tx.delivery.updateMany({
      where: { subscriptionId: subscribed.id },
      data: { status: 'retrying', nextAttemptAt: new Date('2031-01-01') },
    })
  })
  expect((await said(subscribed, first.id, 'retrying'))?.reason).toMatch(
    /^attempt 2 is due at 2031-01-01T00:00:00.000Z, .*; attempt 1 failed: connect/,
  )
})

test("knows no event of another unit or tenant, but the tenant's own in each unit", async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const event = await publish(subscribed)
  await said(subscribed, event.id, 'delivered')
  for (const reply of [
    await explainTo({ ...subscribed, unitId: randomUUID() }, event.id),
    await explainTo({ ...subscribed, tenant: world.asTenant(randomUUID()) }, event.id),
    await explainTo(subscribed, randomUUID()),
  ]) {
    expect([reply.status, reply.body.code]).toEqual([404, 'event_not_found'])
  }
  const whole = await publish(subscribed, { business_unit_id: null })
  expect(await said(subscribed, whole.id, 'delivered')).toBeDefined()
})
