import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { dead, ended, expectQueueMatchesRows, kill, letters, readTask, startTask } from './dead-letter-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
})
afterEach(() => endpoint.close())

test('respects the rate, can be canceled, and leaves the remaining dead letters unchanged', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 8, subscribed)
  endpoint.respondWith(() => ({ status: 204 }))
  const id = await startTask(subscribed, 'redrive', { filter: {}, rate_per_second: 2 })
  const startedAt = Date.now()
  await until(async () => (await readTask(subscribed, id)).done >= 4)
  expect(Date.now() - startedAt).toBeGreaterThan(900)
  const canceled = await subscribed.tenant.post(`${letters}/tasks/${id}/cancel`)
  expect(canceled.body).toMatchObject({ id, status: 'canceled', total: 8 })
  const { done } = canceled.body
  expect(done).toBeLessThan(8)
  await until(async () => (await subscribed.deliveries('?status=delivered')).length === done)
  expect(await dead(subscribed)).toHaveLength(8 - done)
  const again = await subscribed.tenant.post(`${letters}/tasks/${id}/cancel`)
  // The outcomes of what the task restarted follow.
  expect(again.body).toEqual({ ...canceled.body, outcomes: again.body.outcomes })
  await expectQueueMatchesRows(world)
  expect(await readTask(subscribed, id)).toEqual({ ...canceled.body, outcomes: expect.anything() })
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

test('a task that discards is canceled with the permission to discard', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 3, subscribed)
  const id = await startTask(subscribed, 'discard', { filter: {}, rate_per_second: 1 })
  const cancel = (permissions: Permission[]) =>
    world.asTenant(subscribed.tenantId, permissions).post(`${letters}/tasks/${id}/cancel`)
  const denied = await cancel(['deadletter:ReadDeadLetter', 'deadletter:RedriveDeadLetter', 'webhook:RetryDelivery'])
  expect([denied.status, denied.body.code]).toEqual([403, 'permission_denied'])
  expect((await readTask(subscribed, id)).status).toBe('running')
  const canceled = await cancel(['deadletter:ReadDeadLetter', 'deadletter:DiscardDeadLetter'])
  expect(canceled.body).toMatchObject({ id, status: 'canceled' })
})

test('an operator cancels a task of any tenant', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 3, subscribed)
  const id = await startTask(subscribed, 'discard', { filter: {}, rate_per_second: 1 })
  const canceled = await world.asOperator.post(`/internal/tasks/${id}/cancel`, { operator: 'operator-1' })
  expect(canceled.body).toMatchObject({ id, status: 'canceled', created_by: expect.stringMatching(/^api_key:/) })
  expect(await readTask(subscribed, id)).toMatchObject({ status: 'canceled' })
  const none = await world.asOperator.post(`/internal/tasks/${randomUUID()}/cancel`, { operator: 'operator-1' })
  expect([none.status, none.body.code]).toEqual([404, 'task_not_found'])
})

test('another tenant cannot cancel a task', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 3, subscribed)
  const id = await startTask(subscribed, 'discard', { filter: {}, rate_per_second: 1 })
  const reply = await world.asTenant(randomUUID()).post(`${letters}/tasks/${id}/cancel`)
  expect([reply.status, reply.body.code]).toEqual([404, 'task_not_found'])
  expect(await ended(subscribed, id)).toMatchObject({ status: 'done', done: 3 })
})

test('ten cancellations at once return the same task', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 3, subscribed)
  const id = await startTask(subscribed, 'discard', { filter: {}, rate_per_second: 1 })
  const cancel = () => subscribed.tenant.post(`${letters}/tasks/${id}/cancel`)
  const replies = await Promise.all(Array.from({ length: 10 }, cancel))
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(replies[0]?.body).toMatchObject({ id, status: 'canceled' })
})
