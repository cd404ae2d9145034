import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { dead, ended, expectQueueMatchesRows, kill, letters, startTask } from './dead-letter-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
})
afterEach(() => endpoint.close())

test('discards the selected dead letters and no others, and stores the actor and the reason', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 2, subscribed)
  const [refund] = await kill(world, 1, subscribed, 'payment-proxy.transactions.refund')
  const filter = { event_type: 'payment-proxy.transactions.capture' }
  const id = await startTask(subscribed, 'discard', { filter })
  expect(await ended(subscribed, id)).toMatchObject({ id, kind: 'discard', status: 'done', total: 2, done: 2 })
  expect((await dead(subscribed)).map((one) => one.tenant_event_id)).toEqual([refund?.id])
  const where = { status: 'discarded' as const }
  const rows = await world.db.inTenant(subscribed.tenantId, (tx) => tx.delivery.findMany({ where }))
  expect(rows.map(({ discardReason }) => discardReason)).toEqual(['obsolete', 'obsolete'])
  expect(rows.every(({ discardedBy }) => discardedBy?.startsWith('api_key:'))).toBe(true)
  await expectQueueMatchesRows(world)
})

test('only counts in a dry run', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 2, subscribed)
  const body = { filter: {}, reason: 'obsolete', dry_run: true }
  const reply = await subscribed.tenant.post(`${letters}/discard`, body)
  expect([reply.status, reply.body.count]).toEqual([200, 2])
  expect((await subscribed.tenant.get(`${letters}/tasks`)).body.data).toEqual([])
  expect(await dead(subscribed)).toHaveLength(2)
})

test('ignores ids of another tenant and of deliveries that are no longer dead', async () => {
  const [mine, theirs] = [await subscribe(world, endpoint.url), await subscribe(world, endpoint.url)]
  await kill(world, 1, mine)
  await kill(world, 1, theirs)
  const [letter] = await dead(mine)
  const [foreign] = await dead(theirs)
  const ids = [letter?.id, foreign?.id, randomUUID()]
  const id = await startTask(mine, 'discard', { ids })
  expect(await ended(mine, id)).toMatchObject({ status: 'done', total: 1, done: 1 })
  expect(await dead(theirs)).toEqual([foreign])
  expect(await ended(mine, await startTask(mine, 'redrive', { ids }))).toMatchObject({ total: 0, done: 0 })
  const task = await theirs.tenant.get(`${letters}/tasks/${id}`)
  const cancel = await theirs.tenant.post(`${letters}/tasks/${id}/cancel`)
  expect([task.body.code, cancel.body.code]).toEqual(['task_not_found', 'task_not_found'])
  await expectQueueMatchesRows(world)
})

test('returns the same task for the same Idempotency-Key', async () => {
  const { tenant } = await subscribe(world, endpoint.url)
  const headers = { 'Idempotency-Key': randomUUID() }
  const body = { filter: {}, reason: 'obsolete' }
  const first = await tenant.post(`${letters}/discard`, body, headers)
  const second = await tenant.post(`${letters}/discard`, body, headers)
  expect([second.status, second.body]).toEqual([202, first.body])
  expect((await tenant.get(`${letters}/tasks`)).body.data).toHaveLength(1)
})

test('rejects a task beyond twenty running ones, and starts none', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const data = Array.from({ length: 20 }, () => ({
    id: randomUUID(),
    tenantId: subscribed.tenantId,
    kind: 'discard' as const,
    selection: { ids: [randomUUID()] },
    total: 1,
    createdBy: 'a test',
    nextBatchAt: new Date(Date.now() + 3_600_000),
  }))
  await world.db.inTenant(subscribed.tenantId, (tx) => tx.task.createMany({ data }))
  const reply = await subscribed.tenant.post(`${letters}/discard`, { filter: {}, reason: 'obsolete' })
  expect([reply.status, reply.body.code]).toEqual([409, 'too_many_tasks'])
  expect((await subscribed.tenant.get(`${letters}/tasks?limit=200`)).body.data).toHaveLength(20)
})

test.each([
  [{ filter: {} }, '/reason'],
  [{ filter: {}, reason: '' }, '/reason'],
  [{ reason: 'obsolete' }, ''],
  [{ ids: ['x'], reason: 'obsolete' }, '/ids/0'],
])('rejects %j, names the field, and starts no task', async (body, pointer) => {
  const tenant = world.asTenant(randomUUID())
  const reply = await tenant.post(`${letters}/discard`, body)
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  expect((await tenant.get(`${letters}/tasks`)).body.data).toEqual([])
})
