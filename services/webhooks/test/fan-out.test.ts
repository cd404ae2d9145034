import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { deriveDeliveryId } from '../src/domain/delivery/delivery-id.ts'
import { insertDeliveries } from '../src/store/event/fan-out.ts'
import { expectedColumns } from './delivery-columns.ts'
import { type Subscribed, settled, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld()
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const at = (path: string) => `${endpoint.url}${path}`
const paths = () => endpoint.received.map((one) => one.path).sort()

describe('fan-out', () => {
  test('sends an event of a business unit to the matching subscriptions of this unit only', async () => {
    const all = await subscribe(world, at('/all'))
    const { tenantId, unitId } = all
    await subscribe(world, at('/exact'), { tenantId, unitId, event_types: ['payment-proxy.transactions.capture'] })
    await subscribe(world, at('/prefix'), { tenantId, unitId, event_types: ['payment-proxy.transactions.*'] })
    await subscribe(world, at('/failures'), { tenantId, unitId, event_types: ['payment-proxy.transactions.capture.*'] })
    await subscribe(world, at('/keys'), { tenantId, unitId, event_types: ['api-key.*'] })
    await subscribe(world, at('/other-unit'), { tenantId })
    const stranger = await subscribe(world, at('/other-tenant'))
    await world.db.inTenant(stranger.tenantId, (tx) =>
      tx.subscription.update({ where: { id: stranger.id }, data: { businessUnitId: unitId } }),
    )
    await world.publish(someEvent(tenantId, unitId))
    await endpoint.waitFor(() => true, { count: 3 })
    await until(async () => (await all.deliveries('?status=delivered')).length === 3)
    expect(paths()).toEqual(['/all', '/exact', '/prefix'])
  })

  test('sends an event of the tenant to every unit, each with its own business_unit_id', async () => {
    const first = await subscribe(world, at('/first'))
    const second = await subscribe(world, at('/second'), { tenantId: first.tenantId })
    await subscribe(world, at('/other-tenant'))
    await world.publish(someEvent(first.tenantId, null, { type: 'api-key.keys.create' }))
    await endpoint.waitFor(() => true, { count: 2 })
    await Promise.all([settled(first, 'delivered'), settled(second, 'delivered')])
    const units = endpoint.received.map((one) => [one.path, JSON.parse(one.body.toString()).metadata.business_unit_id])
    expect(Object.fromEntries(units)).toEqual({ '/first': first.unitId, '/second': second.unitId })
  })

  test('an event that is published again creates no second delivery', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const event = someEvent(subscribed.tenantId, subscribed.unitId)
    await Promise.all(Array.from({ length: 10 }, () => world.publish(event)))
    await settled(subscribed, 'delivered')
    const marker = someEvent(subscribed.tenantId, subscribed.unitId)
    await world.publish(marker)
    await endpoint.waitFor((one) => one.headers['webhook-id'] === marker.id)
    expect(endpoint.received.filter((one) => one.headers['webhook-id'] === event.id)).toHaveLength(1)
    expect(await subscribed.deliveries()).toHaveLength(2)
  })

  test('an event that is published again creates no delivery for a subscription created since', async () => {
    const first = await subscribe(world, at('/first'), { event_types: ['payment-proxy.*'] })
    const { tenantId, unitId } = first
    const ofOne = someEvent(tenantId, unitId)
    const unmatched = someEvent(tenantId, unitId, { type: 'api-key.keys.create' })
    await world.publish(ofOne)
    await world.publish(unmatched)
    await settled(first, 'delivered')
    await until(async () => (await world.db.inTenant(tenantId, (tx) => tx.event.count())) === 2)
    const late = await subscribe(world, at('/late'), { tenantId, unitId })
    await world.publish(ofOne)
    await world.publish(unmatched)
    const marker = someEvent(tenantId, unitId, { type: 'api-key.keys.delete' })
    await world.publish(marker)
    await until(async () => (await late.deliveries('?status=delivered')).length === 2)
    const got = endpoint.received.map((one) => [one.path, one.headers['webhook-id']])
    expect(got).toEqual([
      ['/first', ofOne.id],
      ['/late', marker.id],
    ])
    expect(await late.deliveries()).toHaveLength(2)
  })

  test('a repeated event completes an interrupted fan-out', async () => {
    const done = await subscribe(world, at('/done'))
    const { tenantId, unitId } = done
    const undone = await subscribe(world, at('/undone'), { tenantId, unitId })
    const event = someEvent(tenantId, unitId)
    await world.publish(event)
    await until(async () => (await done.deliveries('?status=delivered')).length === 2)
    // As if the process had crashed between the two.
    await world.db.inTenant(tenantId, async (tx) => {
      await tx.attempt.deleteMany()
      await tx.delivery.deleteMany({ where: { subscriptionId: undone.id } })
    })
    await world.publish(event)
    await endpoint.waitFor((one) => one.path === '/undone', { count: 2 })
    await until(async () => (await done.deliveries('?status=delivered')).length === 2)
    expect(paths()).toEqual(['/done', '/undone', '/undone'])
  })

  test.each([
    [
      'disabled',
      'held',
      true,
      (one: Subscribed) => one.tenant.put(one.path, { destination_url: at('/late'), enabled: false }),
    ],
    ['deleted', 'discarded', false, (one: Subscribed) => one.tenant.delete(one.path)],
  ])('a subscription %s after the match receives nothing: %s', async (_, status, backlogged, change) => {
    const subscribed = await subscribe(world, at('/late'))
    await change(subscribed)
    const { tenantId, unitId, id: subscriptionId } = subscribed
    const { id, type, trace_id: traceId, occurred_at: occurredAt } = someEvent(tenantId, unitId)
    const shared = { number: 0, businessUnitId: unitId, traceId }
    const event = { ...shared, id, tenantId, type, occurredAt, payload: '{}' }
    const row = {
      ...shared,
      id: deriveDeliveryId({ id, occurredAt: new Date(occurredAt) }, subscriptionId),
      subscriptionId,
    }
    const inserted = await world.db.acrossTenants((tx) =>
      insertDeliveries(tx, [event], [{ ...row, initial: 'claimed' }]),
    )
    expect(inserted).toEqual([{ ids: [row.id], target: expect.objectContaining({ disposition: status }) }])
    const remaining = await world.db.inTenant(tenantId, (tx) => tx.delivery.findMany({ where: { subscriptionId } }))
    expect(remaining).toEqual([expect.objectContaining({ status, backlogged, sweepAt: null, nextAttemptAt: null })])
    expect(paths()).toEqual([])
  })

  test.each([
    ['claimed', { status: 'delivering' }, [true, true]],
    ['backlogged', { status: 'pending', backlogged: true }, [true, false]],
    ['held', { status: 'held', backlogged: true }, [false, false]],
  ] as const)('a delivery that is %s is stored in its state', async (initial, columns, [isNext, isSwept]) => {
    const { tenantId, unitId, id: subscriptionId } = await subscribe(world, at('/later'), { enabled: false })
    const { id, type, trace_id: traceId, occurred_at: occurredAt } = someEvent(tenantId, unitId)
    const shared = { number: 0, businessUnitId: unitId, traceId }
    const event = { ...shared, id, tenantId, type, occurredAt, payload: '{}' }
    const row = {
      ...shared,
      id: deriveDeliveryId({ id, occurredAt: new Date(occurredAt) }, subscriptionId),
      subscriptionId,
    }
    await world.db.inTenant(tenantId, (tx) =>
      tx.subscription.update({ where: { id: subscriptionId }, data: { enabled: initial === 'claimed' } }),
    )
    // Discarded before the commit, so that no process dispatches it.
    const [inserted, stored] = await world.db.acrossTenants(async (tx) => {
      const ids = await insertDeliveries(tx, [event], [{ ...row, initial }])
      const rows = await tx.delivery.findMany({ where: { subscriptionId } })
      await tx.delivery.updateMany({ where: { subscriptionId }, data: expectedColumns('discarded') })
      return [ids, rows] as const
    })
    const target = initial === 'claimed' ? expect.objectContaining({ disposition: 'delivering' }) : null
    expect(inserted).toEqual([{ ids: [row.id], target }])
    expect(stored).toEqual([expect.objectContaining({ backlogged: false, published: false, ...columns })])
    expect(stored.map(({ nextAttemptAt, sweepAt }) => [nextAttemptAt !== null, sweepAt !== null])).toEqual([
      [isNext, isSwept],
    ])
  })

  test('a subscription deleted before the event receives nothing', async () => {
    const deleted = await subscribe(world, at('/deleted'))
    const remaining = await subscribe(world, at('/remaining'), { tenantId: deleted.tenantId, unitId: deleted.unitId })
    await deleted.tenant.delete(deleted.path)
    await world.publish(someEvent(deleted.tenantId, deleted.unitId))
    await settled(remaining, 'delivered')
    expect(paths()).toEqual(['/remaining'])
  })

  test('delivers any payload unchanged: nesting, emoji, separators, escapes, large', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const payload = { deep: [{ a: [null, true, 1.5e10] }], text: '😀\u2028\u0000\ud800"\\', large: 'x'.repeat(200_000) }
    endpoint.respondWith(() => ({ status: endpoint.received.length === 1 ? 500 : 200 }))
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId, { payload }))
    const [first, second] = await endpoint.waitFor(() => true, { count: 2 })
    expect(JSON.parse(first?.body.toString('utf8') ?? '').metadata.payload).toEqual(payload)
    // The delivery of fan-out, and the stored row.
    expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true)
  })

  test('stores no copy of the payload for an accepted delivery, and sends the same bytes when it is retried', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const payload = { text: '😀\u2028\u0000\ud800"\\' }
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId, { payload }))
    const { id } = await settled(subscribed, 'delivered')
    const body = () =>
      world.db.inTenant(subscribed.tenantId, async (tx) => (await tx.delivery.findFirstOrThrow({ where: { id } })).body)
    expect(await body()).toBeNull()
    await subscribed.tenant.post(`/v1/webhooks/${subscribed.unitId}/deliveries/${id}/retry`)
    const [first, second] = await endpoint.waitFor(() => true, { count: 2 })
    expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true)
    expect(Buffer.from((await body()) ?? []).equals(first?.body ?? Buffer.of())).toBe(true)
  })

  test('creates one delivery for each of 250 subscriptions', async () => {
    const tenantId = randomUUID()
    const units = Array.from({ length: 250 }, () => randomUUID())
    await world.db.inTenant(tenantId, (tx) =>
      tx.subscription.createMany({
        data: units.map((businessUnitId) => ({
          id: randomUUID(),
          tenantId,
          businessUnitId,
          destinationUrl: endpoint.url,
          eventTypes: [],
          secretMasked: 'whsec_…',
        })),
      }),
    )
    await world.publish(someEvent(tenantId, null))
    const count = () => world.db.inTenant(tenantId, (tx) => tx.delivery.count())
    await until(async () => (await count()) === 250)
    const distinct = await world.db.inTenant(tenantId, (tx) => tx.delivery.groupBy({ by: ['businessUnitId'] }))
    expect(distinct).toHaveLength(250)
    // The subscriptions have no secret: without this, the dispatcher would repeat their deliveries in the next test.
    await world.db.inTenant(tenantId, (tx) => tx.delivery.updateMany({ data: expectedColumns('discarded') }))
  })
})
