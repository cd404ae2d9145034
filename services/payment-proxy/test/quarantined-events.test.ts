import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Connector } from '../src/connectors/connector.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const queue = '/internal/dead-letter-queues/payment-proxy.quarantined-events'

/** The service with a connector that breaks its types: no cleaning can expect it, so the event does not encode. */
function brokenFor(tenant: TestTenant) {
  const execute: Connector['execute'] = async (command, signal) => {
    const outcome = await world.sandbox.execute(command, signal)
    return { ...outcome, paymentMethod: { type: 5, brand: 'visa', last4: '4242' } } as never
  }
  const provider = world.createTestProvider({ ...world.sandbox, execute })
  return tenant.through(createApp({ ...world.deps, providerCalls: provider }))
}

const repair = (id: string) =>
  world.rows(
    `UPDATE transactions SET payment_method = payment_method || '{"type":"CREDIT_CARD"}' WHERE id = $1::uuid`,
    id,
  )

const quarantined = async (tenant: TestTenant) => {
  const { body } = await world.asOperator.get(`${queue}/messages?limit=200`)
  return body.data.filter((one: { tenant_id: string }) => one.tenant_id === tenant.id)
}
const redrive = async (ids: string[]) =>
  (await world.asOperator.post(`${queue}/redrive`, { operator: 'ada', ids })).body.count

test('an event that cannot be encoded does not undo the outcome', async () => {
  const tenant = world.tenant()
  await tenant.create()
  expect((await brokenFor(tenant).authorize()).status).toBe(500)
  expect(await tenant.recorded()).toMatchObject([{ type: 'authorize', state: 'succeeded' }])
  expect(await tenant.eventTypes()).toEqual(['create', 'create'])
  const type = 'payment-proxy.transactions.authorize'
  expect(await quarantined(tenant)).toMatchObject([
    { event_type: type, last_error: expect.stringContaining('transaction.payment_method.type') },
  ])
})

test('operators see the event, and after the correction write it again, once', async () => {
  const tenant = world.tenant()
  await brokenFor(tenant).authorize()
  const [{ id }] = await quarantined(tenant)
  expect(await redrive([id])).toBe(0)
  const [row] = await world.rows<{ id: string }>(
    'SELECT id::text FROM transactions WHERE tenant_id = $1::uuid',
    tenant.id,
  )
  await repair(row?.id ?? '')
  const counts = await Promise.all(Array.from({ length: 10 }, () => redrive([id])))
  expect(counts.filter((count) => count === 1)).toHaveLength(1)
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  expect(await quarantined(tenant)).toEqual([])
})

test('a list shows the transactions beside one that cannot be encoded, and names that one', async () => {
  const tenant = world.tenant()
  const before = (await tenant.create()).body.id
  await brokenFor(tenant).authorize()
  const after = (await tenant.create()).body.id
  const { status, body } = await tenant.list()
  expect([status, body.data.map(({ id }: { id: string }) => id)]).toEqual([200, [after, before]])
  expect(body.unreadable).toEqual([{ id: expect.any(String) }])
  const page = await tenant.list('?limit=2')
  expect(page.body.data).toHaveLength(1)
  const rest = await tenant.list(`?limit=2&cursor=${page.body.next_cursor}`)
  expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual([before])
  expect((await world.tenant().list()).body).toEqual({ data: [], next_cursor: null })
})

test('an operator discards the event, and an unknown id is skipped', async () => {
  const tenant = world.tenant()
  await brokenFor(tenant).authorize()
  const [{ id }] = await quarantined(tenant)
  const discard = (ids: string[]) =>
    world.asOperator.post(`${queue}/discard`, { operator: 'ada', ids, reason: 'repaired by hand' })
  expect((await discard([tenant.id, 'x'])).body).toEqual({ count: 0 })
  expect((await discard([id])).body).toEqual({ count: 1 })
  expect(await quarantined(tenant)).toEqual([])
})
