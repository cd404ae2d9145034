import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Task } from '@payments/contracts/services/webhooks/dead-letters'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { dead, ended, expectQueueMatchesRows, kill, letters, readTask, startTask } from './dead-letter-world.ts'
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

test('a redrive only counts in a dry run', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 2, subscribed)
  const reply = await subscribed.tenant.post(`${letters}/redrive`, { filter: {}, dry_run: true })
  expect([reply.status, reply.body.count]).toEqual([200, 2])
  expect((await subscribed.tenant.get(`${letters}/tasks`)).body.data).toEqual([])
  expect(await dead(subscribed)).toHaveLength(2)
})

test('a redrive sends the selected dead letters once, with the same tenant_event_id, and no others', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const captures = await kill(world, 3, subscribed)
  const refunds = await kill(world, 2, subscribed, 'payment-proxy.transactions.refund')
  endpoint.respondWith(() => ({ status: 204 }))
  const filter = {
    subscription_id: subscribed.id,
    event_type: 'payment-proxy.transactions.capture',
    status_code: 500,
  }
  const id = await startTask(subscribed, 'redrive', { filter })
  expect(await ended(subscribed, id)).toMatchObject({ id, kind: 'redrive', status: 'done', total: 3, done: 3 })
  await until(async () => (await subscribed.deliveries('?status=delivered')).length === 3)
  const again = endpoint.received.slice(5).map((one) => one.headers['webhook-id'])
  expect(new Set(again)).toEqual(new Set(captures.map((event) => event.id)))
  expect(again).toHaveLength(3)
  expect((await dead(subscribed)).map((one) => one.tenant_event_id).sort()).toEqual(refunds.map(({ id }) => id).sort())
  await expectQueueMatchesRows(world)
})

test('a redrive ignores ids of another tenant and of deliveries that are not dead', async () => {
  const [mine, theirs] = [await subscribe(world, endpoint.url), await subscribe(world, endpoint.url)]
  await kill(world, 1, mine)
  await kill(world, 1, theirs)
  const [letter] = await dead(mine)
  const [foreign] = await dead(theirs)
  endpoint.respondWith(() => ({ status: 204 }))
  const ids = [letter?.id, foreign?.id, randomUUID()]
  expect(await ended(mine, await startTask(mine, 'redrive', { ids }))).toMatchObject({ total: 1, done: 1 })
  await until(async () => (await mine.deliveries('?status=delivered')).length === 1)
  expect(await ended(mine, await startTask(mine, 'redrive', { ids }))).toMatchObject({ total: 0, done: 0 })
  expect(await dead(theirs)).toEqual([foreign])
  await expectQueueMatchesRows(world)
})

test('a redrive returns the same task for the same Idempotency-Key', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 1, subscribed)
  const headers = { 'Idempotency-Key': randomUUID() }
  const first = await subscribed.tenant.post(`${letters}/redrive`, { filter: {} }, headers)
  const second = await subscribed.tenant.post(`${letters}/redrive`, { filter: {} }, headers)
  expect([second.status, second.body]).toEqual([202, first.body])
  expect((await subscribed.tenant.get(`${letters}/tasks`)).body.data).toHaveLength(1)
})

test('of twenty-five requests of as many keys at once, twenty start a task and the others are rejected', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 3, subscribed)
  const requests = Array.from({ length: 25 }, () =>
    world.asTenant(subscribed.tenantId).post(`${letters}/redrive`, { filter: {}, rate_per_second: 1 }),
  )
  const replies = await Promise.all(requests)
  const rejected = replies.filter(({ status }) => status !== 202)
  for (const reply of rejected) expect([reply.status, reply.body.code]).toEqual([409, 'too_many_tasks'])
  const { data: tasks } = (await subscribed.tenant.get(`${letters}/tasks?limit=200`)).body as { data: Task[] }
  expect(tasks.length + rejected.length).toBe(25)
  expect(tasks.filter(({ status }) => status === 'running').length).toBeLessThanOrEqual(20)
  await Promise.all(tasks.map(({ id }) => ended(subscribed, id)))
  const done = await Promise.all(tasks.map(async ({ id }) => (await readTask(subscribed, id)).done))
  expect(done.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(3)
})

test('a key has half of the tasks that the other keys leave: its colleague discards while its recoveries run', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const data = Array.from({ length: 10 }, () => ({
    ...{ id: randomUUID(), tenantId: subscribed.tenantId, kind: 'recover' as const, selection: {}, total: 1 },
    ...{ createdBy: 'api_key:one', nextBatchAt: new Date(Date.now() + 3_600_000) },
  }))
  await world.db.inTenant(subscribed.tenantId, (tx) => tx.task.createMany({ data }))
  const [one, other] = ['one', 'other'].map((id) => world.asTenant(subscribed.tenantId, undefined, id))
  const window = { since: new Date(Date.now() - 60_000).toISOString(), until: new Date().toISOString() }
  const recovered = await one?.post(`${subscribed.path}/recover`, { ...window, include_unmatched: true })
  expect([recovered?.status, recovered?.body.code]).toEqual([409, 'too_many_tasks'])
  const discarded = await other?.post(`${subscribed.path}/discard-held`, { reason: 'obsolete' })
  expect(discarded?.status).toBe(202)
})

test.each([
  [{}, ''],
  [{ filter: {}, ids: [randomUUID()] }, ''],
  [{ ids: [] }, '/ids'],
  [{ ids: ['x'] }, '/ids/0'],
  [{ filter: { x: 1 } }, '/filter/x'],
  [{ filter: {}, rate_per_second: 0 }, '/rate_per_second'],
])('rejects a redrive with %j, names the field, and starts no task', async (body, pointer) => {
  const tenant = world.asTenant(randomUUID())
  const reply = await tenant.post(`${letters}/redrive`, body)
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  expect((await tenant.get(`${letters}/tasks`)).body.data).toEqual([])
})

test('a discard discards the selected dead letters and no others, and stores the actor and the reason', async () => {
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

test('a discard only counts in a dry run', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 2, subscribed)
  const body = { filter: {}, reason: 'obsolete', dry_run: true }
  const reply = await subscribed.tenant.post(`${letters}/discard`, body)
  expect([reply.status, reply.body.count]).toEqual([200, 2])
  expect((await subscribed.tenant.get(`${letters}/tasks`)).body.data).toEqual([])
  expect(await dead(subscribed)).toHaveLength(2)
})

test('a discard ignores ids of another tenant and of deliveries that are no longer dead', async () => {
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

test('a discard returns the same task for the same Idempotency-Key', async () => {
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
])('rejects a discard with %j, names the field, and starts no task', async (body, pointer) => {
  const tenant = world.asTenant(randomUUID())
  const reply = await tenant.post(`${letters}/discard`, body)
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
  expect((await tenant.get(`${letters}/tasks`)).body.data).toEqual([])
})
