import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventTypes } from '@payments/contracts/edges/event-types'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Event } from '@payments/contracts/services/webhooks/delivery'
import { until } from '@payments/testing/services/until'
import { findResourceId } from '../src/domain/event/resource-id.ts'
import { someEvent, startWorld, tenantWithUnit, type World } from './world.ts'

const path = '/v1/webhooks/events'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await world.dispatch()
})
afterAll(() => world.stop())

const transaction = (id: string) => ({ operation: { id: randomUUID() }, version: 1, transaction: { id } })

/** A tenant with two units, and the events published for it. */
async function twoUnits() {
  const { tenantId, unitId, tenant } = await tenantWithUnit(world)
  const list = async (query = 'limit=50'): Promise<Event[]> => (await tenant.get(`${path}?${query}`)).body.data
  return {
    tenant,
    unitId,
    otherId: await world.unit(tenantId),
    list,
    ids: async (query: string) => (await list(query)).map((event) => event.tenant_event_id),
    publish: async (ofUnit: string | null, given: Partial<EventMessage> = {}) => {
      const event = someEvent(tenantId, ofUnit, given)
      await world.publish(event)
      await until(async () => (await list()).some(({ tenant_event_id: id }) => id === event.id))
      return event.id
    },
  }
}

test('lists the events of every unit and of the whole tenant, page by page', async () => {
  const { tenant, unitId, otherId, list, ids, publish } = await twoUnits()
  const published = [await publish(unitId), await publish(otherId), await publish(null, { type: 'rbac.roles.create' })]
  const newestFirst = published.toReversed()
  expect(await ids('limit=50')).toEqual(newestFirst)
  const first = await tenant.get(`${path}?limit=2`)
  const rest = await tenant.get(`${path}?limit=2&cursor=${first.body.next_cursor}`)
  expect([...first.body.data, ...rest.body.data]).toEqual(await list())
  expect(rest.body.next_cursor).toBeNull()
  expect(await ids(`business_unit_id=${otherId}`)).toEqual([published[1]])
  expect(await ids('event_type=rbac.roles.create')).toEqual([published[2]])
})

test('filters by the resource that an event is about, in any order of the fields of its payload', async () => {
  const { tenant, unitId, otherId, list, ids, publish } = await twoUnits()
  const [one, two] = [randomUUID(), randomUUID()]
  const captured = await publish(unitId, { payload: transaction(one) })
  const refunded = await publish(unitId, { type: 'payment-proxy.transactions.refund', payload: transaction(one) })
  const other = await publish(otherId, { payload: transaction(two) })
  const key = await publish(null, { type: 'api-key.keys.delete', payload: { id: two, name: 'a', deleted_at: '' } })
  expect(await ids(`resource_id=${one.toUpperCase()}`)).toEqual([refunded, captured])
  expect(await ids(`resource_id=${two}`)).toEqual([key, other])
  expect(await ids(`resource_id=${two}&business_unit_id=${otherId}`)).toEqual([other])
  expect((await list(`resource_id=${one}`))[0]).toMatchObject({ resource_id: one, business_unit_id: unitId })
  const ofUnit = await tenant.get(`/v1/webhooks/${unitId}/events?resource_id=${two}`)
  expect(ofUnit.body.data.map((event: Event) => event.tenant_event_id)).toEqual([key])
})

test('finds the resource in the payload of every type of event but the test event', () => {
  const id = randomUUID()
  const anywhere = new Proxy({ id }, { get: (target, name) => (name === 'id' ? target.id : { id }) })
  const without = Object.keys(eventTypes).filter((type) => findResourceId({ type, payload: anywhere }) === null)
  expect(without).toEqual(['webhooks.test'])
  const payloads = [null, 'text', {}, { transaction: null }, { transaction: { id: 1 } }, { transaction: { id: 'x' } }]
  const type = 'payment-proxy.transactions.capture'
  expect(payloads.map((payload) => findResourceId({ type, payload }))).toEqual(payloads.map(() => null))
  expect(findResourceId({ type: 'unknown.type', payload: { id } })).toBeNull()
})

test('filters by instant', async () => {
  const { unitId, ids, publish } = await twoUnits()
  const id = await publish(unitId)
  expect(await ids('created_after=2000-01-01T00:00:00Z')).toEqual([id])
  expect(await ids('created_before=2000-01-01T00:00:00Z')).toEqual([])
})

test.each(['resource_id=1', 'business_unit_id=x', 'event_type=a.b', 'cursor=x', 'from=2026-01-01T00:00:00Z'])(
  'rejects ?%s',
  async (query) => {
    const { status, body } = await world.asTenant(randomUUID()).get(`${path}?${query}`)
    expect([status, body.errors[0].pointer]).toEqual([400, `/query/${query.split('=')[0]}`])
  },
)

test('shows no events of another tenant', async () => {
  const { unitId, publish } = await twoUnits()
  const id = randomUUID()
  await publish(unitId, { payload: transaction(id) })
  const stranger = world.asTenant(randomUUID())
  const { body } = await stranger.get(`${path}?business_unit_id=${unitId}&resource_id=${id}`)
  expect(body).toEqual({ data: [], next_cursor: null })
})
