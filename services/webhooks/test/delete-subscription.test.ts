import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTurns } from '@payments/chassis/database/turns'
import { receiver } from '@payments/testing/peers/receiver'
import { runSubscriptionDiscards } from '../src/dispatch/discard-deliveries.ts'
import { expectQueueMatchesRows } from './dead-letter-world.ts'
import { settled, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ schedule: '0s' })
  await world.dispatch()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'
const listRows = (tenantId: string) => world.db.inTenant(tenantId, (tx) => tx.subscription.findMany())

test('delete removes the subscription and its secret', async () => {
  const { tenant, tenantId, path } = await subscribe(world, url)
  expect((await tenant.delete(path)).status).toBe(204)
  expect((await tenant.get(path)).body.code).toBe('subscription_not_found')
  expect((await tenant.delete(path)).body.code).toBe('subscription_not_found')
  expect((await listRows(tenantId))[0]).toMatchObject({ secretEncrypted: null })
})

test('returns the same 404 for a subscription of another tenant, of another unit, and a missing one, and deletes nothing', async () => {
  const { id, unitPath, tenant, tenantId } = await subscribe(world, url)
  const stranger = await tenantWithUnit(world)
  const sibling = await tenantWithUnit(world, tenantId)
  const missing = `${unitPath}/${randomUUID()}`
  const replies = [
    await tenant.get(missing),
    await tenant.delete(missing),
    await stranger.tenant.delete(`${stranger.unitPath}/${id}`),
    await stranger.tenant.delete(`${stranger.unitPath}/${randomUUID()}`),
    await tenant.delete(`${sibling.unitPath}/${id}`),
  ]
  const bodies = replies.map((reply) => JSON.stringify({ ...reply.body, trace_id: '' }))
  expect(new Set(bodies).size).toBe(1)
  expect([replies[0]?.status, replies[0]?.body.code]).toEqual([404, 'subscription_not_found'])
  expect((await listRows(tenantId))[0]).toMatchObject({ label: null, deletedAt: null })
})

test('the deletion of a subscription discards its dead deliveries', async () => {
  const endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500 }))
  const subscribed = await subscribe(world, endpoint.url)
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  await settled(subscribed, 'dead')
  await subscribed.tenant.delete(subscribed.path)
  await settled(subscribed, 'discarded')
  await world.reconcile(0)
  await expectQueueMatchesRows(world)
  await endpoint.close()
})

test('the deliveries of a deleted subscription are discarded in batches, in turns of the tenants', async () => {
  const quiet = await startWorld({ schedule: '0s' })
  const dispatcher = await quiet.dispatch()
  const endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500 }))
  const [many, one] = [await subscribe(quiet, endpoint.url), await subscribe(quiet, endpoint.url)]
  for (const { tenantId, unitId } of [many, one]) await quiet.publish(someEvent(tenantId, unitId))
  for (const subscribed of [many, one]) await settled(subscribed, 'dead')
  await dispatcher.stop()
  await endpoint.close()
  await quiet.rows(
    `INSERT INTO deliveries
     SELECT (jsonb_populate_record(d, jsonb_build_object('tenant_event_id', gen_random_uuid(),
       'id', left(d.id::text, 24) || lpad(to_hex(n), 12, '0')))).*
     FROM deliveries AS d, generate_series(1, 1200) AS n WHERE d.tenant_id = $1::uuid`,
    many.tenantId,
  )
  for (const { tenant, path } of [many, one]) await tenant.delete(path).expect(204)
  const unfinished = async (tenantId: string) =>
    (await quiet.rows(`SELECT 1 FROM deliveries WHERE tenant_id = $1::uuid AND status = 'dead'`, tenantId)).length
  expect([await unfinished(many.tenantId), await unfinished(one.tenantId)]).toEqual([1_201, 1])
  let batches = 0
  const acrossTenants: World['db']['acrossTenants'] = (work) => {
    batches += 1
    if (batches > 2) throw new Error('one batch of each tenant')
    return quiet.db.acrossTenants(work)
  }
  const turns = createTurns('subscription_discards')
  const first = runSubscriptionDiscards({ db: { ...quiet.db, acrossTenants }, log: quiet.log }, turns, 30)
  await expect(first).rejects.toThrow('one batch')
  expect([await unfinished(many.tenantId), await unfinished(one.tenantId)]).toEqual([701, 0])
  await runSubscriptionDiscards(quiet, turns, 30)
  expect(await unfinished(many.tenantId)).toBe(0)
  expect(await quiet.rows('SELECT 1 FROM subscription_discards WHERE due_at < now()')).toEqual([])
  await quiet.stop()
}, 120_000)

test('of ten deletions at once, one succeeds', async () => {
  const { tenant, path } = await subscribe(world, url)
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.delete(path)))
  expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
  expect(replies.filter(({ status }) => status === 404)).toHaveLength(9)
})
