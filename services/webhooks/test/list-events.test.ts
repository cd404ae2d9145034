import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Event } from '@payments/contracts/services/webhooks/delivery'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { settled, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

/** Events with the trace id of the request that caused them. */
let world: World
let endpoint: Receiver
beforeAll(async () => {
  ;[world, endpoint] = await Promise.all([startWorld(), receiver()])
  await world.dispatch()
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
})

interface Listed {
  readonly data: Event[]
  readonly next_cursor: string | null
}

/** A unit of a tenant, with the events published for it. */
async function createUnit(ofTenant?: string) {
  const { tenantId, unitId, tenant } = await tenantWithUnit(world, ofTenant)
  const get = (query = '') => tenant.get(`/v1/webhooks/${unitId}/events${query}`)
  const list = async (query = ''): Promise<Listed> => (await get(query)).body
  return {
    tenantId,
    unitId,
    get,
    list,
    ids: async (query = '') => (await list(query)).data.map(({ tenant_event_id }) => tenant_event_id),
    /** Publishes an event and waits until the list contains the event. */
    publish: async (given: Partial<EventMessage> = {}) => {
      const event = someEvent(tenantId, unitId, given)
      await world.publish(event)
      await until(async () => (await list()).data.some(({ tenant_event_id }) => tenant_event_id === event.id))
      return event
    },
  }
}

test('lists an event with the trace id of the request that caused the event', async () => {
  const unit = await createUnit()
  const event = await unit.publish()
  expect(await unit.list()).toEqual({
    data: [
      {
        tenant_event_id: event.id,
        event_type: event.type,
        source_trace_id: event.trace_id,
        occurred_at: event.occurred_at,
        business_unit_id: unit.unitId,
        resource_id: null,
      },
    ],
    next_cursor: null,
  })
})

test('lists the events of the whole tenant in each of its units', async () => {
  const unit = await createUnit()
  const ofTenant = await unit.publish({ type: 'api-key.keys.create', business_unit_id: null })
  const sibling = await createUnit(unit.tenantId)
  expect((await sibling.list()).data).toMatchObject([{ tenant_event_id: ofTenant.id, business_unit_id: null }])
})

test('filters by trace id, by type and by instant', async () => {
  const unit = await createUnit()
  const at = (second: number) => ({ occurred_at: new Date(Date.now() - 60_000 + second * 1_000).toISOString() })
  const traceId = randomUUID()
  const first = await unit.publish({ ...at(1), trace_id: traceId })
  const second = await unit.publish({ ...at(2), trace_id: traceId, type: 'payment-proxy.transactions.refund' })
  const third = await unit.publish(at(3))
  expect(await unit.ids()).toEqual([third.id, second.id, first.id])
  expect(await unit.ids(`?trace_id=${traceId}`)).toEqual([second.id, first.id])
  expect(await unit.ids(`?trace_id=${traceId.toUpperCase()}`)).toEqual([second.id, first.id])
  expect(await unit.ids(`?trace_id=${traceId}&event_type=${first.type}`)).toEqual([first.id])
  expect(await unit.ids('?event_type=payment-proxy.transactions.refund')).toEqual([second.id])
  expect(await unit.ids(`?created_after=${first.occurred_at}&created_before=${third.occurred_at}`)).toEqual([
    second.id,
    first.id,
  ])
  expect(await unit.ids(`?trace_id=${randomUUID()}`)).toEqual([])
})

test('pages in order while events arrive, each event once', async () => {
  const unit = await createUnit()
  const events: EventMessage[] = []
  for (let count = 0; count < 5; count += 1) events.push(await unit.publish())
  const first = await unit.list('?limit=2')
  await unit.publish()
  const second = await unit.list(`?limit=2&cursor=${first.next_cursor}`)
  const third = await unit.list(`?limit=2&cursor=${second.next_cursor}`)
  const paged = [first, second, third].flatMap(({ data }) => data.map(({ tenant_event_id }) => tenant_event_id))
  expect(paged).toEqual(events.map(({ id }) => id).reverse())
  expect(third.next_cursor).toBeNull()
})

test.each([
  ['?trace_id=4bf92f3577b34da6a3ce929d0e0e4736', '/query/trace_id', 'must be a UUID'],
  ['?created_after=2026-01-31T12:00:00+02:00', '/query/created_after', expect.stringContaining('is written %2B')],
  [
    '?event_type=payment-proxy.transactions.steal',
    '/query/event_type',
    expect.stringContaining('must be one of api-key'),
  ],
  ['?created_after=yesterday', '/query/created_after', expect.stringContaining('must be an ISO 8601 instant')],
  ['?limit=201', '/query/limit', 'must be at most 200'],
  ['?cursor=unknown', '/query/cursor', 'must be a next_cursor of this list'],
  ['?status=held', '/query/status', 'is not a known field'],
])('rejects %s and names the field', async (query, pointer, detail) => {
  const { status, body } = await (await createUnit()).get(query)
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid_request', errors: [{ pointer, detail }] })
})

test('shows no event of another tenant, nor of another unit', async () => {
  const unit = await createUnit()
  const event = await unit.publish()
  const query = `?trace_id=${event.trace_id}`
  expect(await (await createUnit(unit.tenantId)).ids(query)).toEqual([])
  expect(await (await createUnit()).list(query)).toEqual({ data: [], next_cursor: null })
})

test('a delivery and the explanation name the same source, and the delivery has a trace id of its own', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const event = someEvent(subscribed.tenantId, subscribed.unitId)
  await world.publish(event)
  const delivery = await settled(subscribed, 'delivered')
  expect(delivery.source_trace_id).toBe(event.trace_id)
  expect(delivery.trace_id).not.toBe(event.trace_id)
  expect((await subscribed.deliveries())[0]?.source_trace_id).toBe(event.trace_id)
  const explained = await subscribed.tenant.get(`/v1/webhooks/${subscribed.unitId}/events/${event.id}`)
  expect(explained.body.source_trace_id).toBe(event.trace_id)
  const [received] = await endpoint.waitFor(({ headers }) => headers['webhook-id'] === event.id)
  const hex = delivery.trace_id.replaceAll('-', '')
  expect(received?.headers['traceparent']).toMatch(new RegExp(`^00-${hex}-[0-9a-f]{16}-01$`))
})

test('a delivery remains readable after its event is no longer stored', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  const { id } = await settled(subscribed, 'delivered')
  await world.db.acrossTenants((tx) => tx.event.deleteMany({ where: { tenantId: subscribed.tenantId } }))
  expect(await subscribed.delivery(id)).toMatchObject({ id, source_trace_id: null })
})
