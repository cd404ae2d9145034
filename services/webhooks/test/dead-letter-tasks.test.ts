import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Task } from '@payments/contracts/webhooks-dead-letters'
import { withClient } from '@payments/devkit/databases'
import { type Receiver, receiver } from '@payments/testing/receiver'
import { dead, ended, expectQueueMatchesRows, kill, letters, startTask, taskOf } from './dead-letter-world.ts'
import { startWorld, subscribe, until, type World } from './world.ts'

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

describe('redrive', () => {
  test('only counts in a dry run', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(world, 2, subscribed)
    const reply = await subscribed.tenant.post(`${letters}/redrive`, { filter: {}, dry_run: true })
    expect([reply.status, reply.body]).toEqual([200, { count: 2 }])
    expect((await subscribed.tenant.get(`${letters}/tasks`)).body.data).toEqual([])
    expect(await dead(subscribed)).toHaveLength(2)
  })

  test('sends the selected dead letters once, with the same tenant_event_id, and no others', async () => {
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
    expect(await ended(subscribed, id)).toEqual({ id, kind: 'redrive', status: 'done', total: 3, done: 3 })
    await until(async () => (await subscribed.deliveries('?status=delivered')).length === 3)
    const again = endpoint.received.slice(5).map((one) => one.headers['webhook-id'])
    expect(new Set(again)).toEqual(new Set(captures.map((event) => event.id)))
    expect(again).toHaveLength(3)
    expect((await dead(subscribed)).map((one) => one.tenant_event_id).sort()).toEqual(
      refunds.map(({ id }) => id).sort(),
    )
    await expectQueueMatchesRows(world)
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

  test('respects the rate, can be canceled, and leaves the remaining dead letters unchanged', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(world, 8, subscribed)
    endpoint.respondWith(() => ({ status: 204 }))
    const id = await startTask(subscribed, 'redrive', { filter: {}, rate_per_second: 2 })
    const startedAt = Date.now()
    await until(async () => (await taskOf(subscribed, id)).done >= 4)
    expect(Date.now() - startedAt).toBeGreaterThan(900)
    const canceled = await subscribed.tenant.post(`${letters}/tasks/${id}/cancel`)
    expect(canceled.body).toMatchObject({ id, status: 'canceled', total: 8 })
    const { done } = canceled.body
    expect(done).toBeLessThan(8)
    await until(async () => (await subscribed.deliveries('?status=delivered')).length === done)
    expect(await dead(subscribed)).toHaveLength(8 - done)
    expect((await subscribed.tenant.post(`${letters}/tasks/${id}/cancel`)).body).toEqual(canceled.body)
    await expectQueueMatchesRows(world)
    expect(await taskOf(subscribed, id)).toEqual(canceled.body)
  })

  test('rejects the cancellation of a finished or missing task', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const id = await startTask(subscribed, 'redrive', { filter: {} })
    await ended(subscribed, id)
    const late = await subscribed.tenant.post(`${letters}/tasks/${id}/cancel`)
    expect([late.status, late.body.code]).toEqual([409, 'task_finished'])
    const none = await subscribed.tenant.post(`${letters}/tasks/${randomUUID()}/cancel`)
    expect([none.status, none.body.code]).toEqual([404, 'task_not_found'])
  })

  test('returns the same task for the same Idempotency-Key', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(world, 1, subscribed)
    const headers = { 'Idempotency-Key': randomUUID() }
    const first = await subscribed.tenant.post(`${letters}/redrive`, { filter: {} }, headers)
    const second = await subscribed.tenant.post(`${letters}/redrive`, { filter: {} }, headers)
    expect([second.status, second.body]).toEqual([202, first.body])
    expect((await subscribed.tenant.get(`${letters}/tasks`)).body.data).toHaveLength(1)
  })
})

describe('tasks', () => {
  test('of twenty-five requests at once, twenty start a task and the others are rejected', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(world, 3, subscribed)
    const requests = Array.from({ length: 25 }, () =>
      subscribed.tenant.post(`${letters}/redrive`, { filter: {}, rate_per_second: 1 }),
    )
    const replies = await Promise.all(requests)
    const rejected = replies.filter(({ status }) => status !== 202)
    for (const reply of rejected) expect([reply.status, reply.body.code]).toEqual([409, 'too_many_tasks'])
    const { data: tasks } = (await subscribed.tenant.get(`${letters}/tasks?limit=200`)).body as { data: Task[] }
    expect(tasks.length + rejected.length).toBe(25)
    expect(tasks.filter(({ status }) => status === 'running').length).toBeLessThanOrEqual(20)
    await Promise.all(tasks.map(({ id }) => ended(subscribed, id)))
    const done = await Promise.all(tasks.map(async ({ id }) => (await taskOf(subscribed, id)).done))
    expect(done.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(3)
  })

  test('are shared by the dispatchers, and no delivery is counted twice', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(world, 40, subscribed)
    const half = { filter: {}, rate_per_second: 100 }
    const ids = await Promise.all([1, 2, 3, 4].map(() => startTask(subscribed, 'discard', half)))
    const tasks = await Promise.all(ids.map((id) => ended(subscribed, id)))
    expect(tasks.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done'])
    expect(tasks.reduce((sum, { done }) => sum + done, 0)).toBe(40)
    expect(await dead(subscribed)).toEqual([])
    const rows = await world.db.inTenant(subscribed.tenantId, (tx) => tx.delivery.findMany({ omit: { body: true } }))
    expect(rows.map(({ status, discardReason }) => [status, discardReason])).toEqual(
      Array.from({ length: 40 }, () => ['discarded', 'obsolete']),
    )
    expect(rows.every(({ discardedBy }) => discardedBy?.startsWith('api_key:'))).toBe(true)
    await expectQueueMatchesRows(world)
  })

  test('fail after ten failed batches in a row, and report the failure', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const id = randomUUID()
    await withClient(world.database.ownerUrl, async (owner) => {
      await owner.query(`SET app.tenant_id = '*'`)
      await owner.query(
        `INSERT INTO tasks (id, tenant_id, kind, selection, total, created_by, failures)
         VALUES ($1, $2, 'redrive', '{"ids":["no uuid"]}', 1, 'a test', 9)`,
        [id, subscribed.tenantId],
      )
    })
    expect(await ended(subscribed, id)).toEqual({ id, kind: 'redrive', status: 'failed', total: 1, done: 0 })
  })

  test('of all tenants are visible to operators, who can cancel them', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(world, 3, subscribed)
    const id = await startTask(subscribed, 'discard', { filter: {}, rate_per_second: 1 })
    const listed = (await world.asOperator.get('/internal/tasks')).body.data.find((one: Task) => one.id === id)
    expect(listed).toMatchObject({ kind: 'discard', tenant_id: subscribed.tenantId, reason: 'obsolete', total: 3 })
    const canceled = await world.asOperator.post(`/internal/tasks/${id}/cancel`, { operator: 'operator-1' })
    expect(canceled.body).toMatchObject({ id, status: 'canceled', created_by: expect.stringMatching(/^api_key:/) })
    expect(await taskOf(subscribed, id)).toMatchObject({ status: 'canceled' })
  })
})
