import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { consumeBusinessUnits } from '@payments/service/business-units/consumer'
import { testEventVerifyKeys } from '@payments/testing/broker/signed-events'
import { readRows } from '@payments/testing/database/rows'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { dead, ended, startTask } from './dead-letter-world.ts'
import { type Subscribed, settled, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s' })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const ofUnits = Object.entries<Endpoint>(webhooks.endpoints).filter(([, { path }]) =>
  path.includes('{business_unit_id}'),
)

/** Valid bodies of the endpoints that require one. */
const bodies: Readonly<Record<string, object>> = {
  createSubscription: { destination_url: 'https://hooks.example.com/' },
  updateSubscription: { label: 'changed' },
  recoverSubscription: { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
  discardHeldDeliveries: { reason: 'x' },
}

/** Sends a valid request to an endpoint of a unit, for the resources of `ids`. */
function call(tenantId: string, [name, { method, path }]: [string, Endpoint], ids: Record<string, string>) {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => ids[parameter] ?? randomUUID())
  const tenant = world.asTenant(tenantId)
  if (method === 'GET') return tenant.get(target)
  if (method === 'DELETE') return tenant.delete(target)
  return method === 'PUT' ? tenant.put(target, bodies[name] ?? {}) : tenant.post(target, bodies[name])
}

/** Deletes the unit of a subscription, as the event of business-unit does. */
const deleteUnit = ({ tenantId, unitId }: Pick<Subscribed, 'tenantId' | 'unitId'>) =>
  world.unit(tenantId, { businessUnitId: unitId, status: 'deleted', version: 2 })

async function deliver(subscribed: Subscribed, status: 'delivered' | 'dead') {
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  return settled(subscribed, status)
}

test('every endpoint of a business unit declares business_unit_not_found', () => {
  expect(ofUnits.length).toBeGreaterThanOrEqual(16)
  const undeclared = ofUnits.filter(([, { problems = [] }]) => !problems.includes('business_unit_not_found'))
  expect(undeclared.map(([name]) => name)).toEqual([])
})

test.each(ofUnits)(
  '%s finds neither an unknown unit nor the unit of another tenant, and changes nothing',
  async (...of) => {
    const theirs = await subscribe(world, 'https://hooks.example.com/')
    const tenantId = randomUUID()
    const rows = await readRows(world.database.ownerUrl, { tenantId: theirs.tenantId })
    const before = await rows.digest()
    const unknown = await call(tenantId, of, { bu_webhook_id: theirs.id })
    const foreign = await call(tenantId, of, { business_unit_id: theirs.unitId, bu_webhook_id: theirs.id })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'business_unit_not_found'])
    expect({ ...foreign.body, trace_id: '' }).toEqual({ ...unknown.body, trace_id: '' })
    expect(await rows.digest()).toEqual(before)
    await rows.stop()
  },
)

test('a repeated request gets its stored response after the deletion of the unit', async () => {
  const { tenantId, unitId, tenant, unitPath } = await tenantWithUnit(world)
  const create = () => tenant.post(unitPath, { destination_url: endpoint.url }, { 'Idempotency-Key': 'one' })
  const first = await create()
  await deleteUnit({ tenantId, unitId })
  const again = await create()
  expect([again.status, again.body]).toEqual([201, first.body])
})

test('a deleted unit takes no new subscription and sends no test event', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await deleteUnit(subscribed)
  const created = await subscribed.tenant.post(subscribed.unitPath, { destination_url: endpoint.url })
  const sent = await subscribed.tenant.post(`${subscribed.path}/test`)
  expect([created.status, created.body.code]).toEqual([409, 'business_unit_deleted'])
  expect([sent.status, sent.body.code]).toEqual([409, 'business_unit_deleted'])
  const { tenantId } = subscribed
  const counts = await world.db.inTenant(tenantId, (tx) =>
    Promise.all([tx.subscription.count(), tx.outboxEvent.count({ where: { tenantId } })]),
  )
  expect(counts).toEqual([1, 0])
})

test('every other endpoint works for a deleted unit', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const delivery = await deliver(subscribed, 'delivered')
  await deleteUnit(subscribed)
  const ids = {
    business_unit_id: subscribed.unitId,
    bu_webhook_id: subscribed.id,
    delivery_id: delivery.id,
    tenant_event_id: delivery.tenant_event_id,
  }
  const others = ofUnits.filter(([, { problems = [] }]) => !problems.includes('business_unit_deleted'))
  expect(ofUnits.length - others.length).toBe(2)
  // The deletion of the subscription is last, because the others need the subscription.
  const ordered = others.sort(([, a], [, b]) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
  for (const of of ordered) {
    const { status } = await call(subscribed.tenantId, of, ids)
    expect([of[0], Object.keys(of[1].replies)]).toEqual([of[0], expect.arrayContaining([String(status)])])
  }
})

test('the events of a deleted unit are delivered, and its dead letters can be redriven', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  endpoint.respondWith(() => ({ status: 500 }))
  await deleteUnit(subscribed)
  await deliver(subscribed, 'dead')
  endpoint.respondWith(() => ({ status: 200 }))
  const [letter] = await dead(subscribed)
  const task = await startTask(subscribed, 'redrive', { ids: [letter?.id] })
  expect(await ended(subscribed, task)).toMatchObject({ status: 'done', done: 1 })
  expect((await settled(subscribed, 'delivered')).tenant_event_id).toBe(letter?.tenant_event_id)
})

test('a published deletion binds the next requests of the API', async () => {
  const { tenant, tenantId, unitId, unitPath } = await tenantWithUnit(world)
  const options = {
    service: 'webhooks' as const,
    broker: world.broker,
    verifyKeys: testEventVerifyKeys,
    log: world.log,
    metrics: world.metrics.registry,
  }
  const consumer = consumeBusinessUnits({ copies: world.businessUnits, ...options })
  await until(async () => consumer.ready().ready)
  const create = () => tenant.post(unitPath, { destination_url: endpoint.url })
  expect((await create()).status).toBe(201)
  const unit = await world.db.inTenant(tenantId, (tx) =>
    tx.businessUnitCopy.findUniqueOrThrow({ where: { businessUnitId: unitId } }),
  )
  const deleted = { ...(unit.businessUnit as object), status: 'deleted', version: 2 }
  const type = 'business-unit.business-units.delete'
  await world.publish(someEvent(tenantId, null, { type, payload: { business_unit: deleted } }))
  await until(async () => (await create()).body.code === 'business_unit_deleted')
  await consumer.stop()
  expect((await create()).status).toBe(409)
})
