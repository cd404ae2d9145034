import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Task } from '@payments/contracts/services/webhooks/dead-letters'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { presentTask, type StoredTask } from '../src/domain/dead-letter/task.ts'
import { ended, kill, letters, readTask, startTask } from './dead-letter-world.ts'
import { type Subscribed, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

/** A task says what became of the deliveries that it restarted. */
let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,100ms', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
})
afterEach(() => endpoint.close())

async function withOutcomes(subscribed: Subscribed, id: string, accept: (task: Task) => boolean): Promise<Task> {
  let task: Task | undefined
  await until(async () => {
    task = await readTask(subscribed, id)
    return accept(task)
  }, 60_000)
  if (task === undefined) throw new Error('unreachable')
  return task
}

const isFinal = ({ outcomes }: Task) => outcomes?.final === true

test('a redrive whose deliveries die again says so, and the list of its deliveries shows them', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 3, subscribed)
  const id = await startTask(subscribed, 'redrive', { filter: {} })
  const task = await withOutcomes(subscribed, id, isFinal)
  expect(task).toMatchObject({ status: 'done', done: 3, total: 3 })
  expect(task.outcomes).toMatchObject({ delivered: 0, dead: 3, waiting: 0, discarded: 0, superseded: 0 })
  for (const path of ['/v1/webhooks/deliveries', `/v1/webhooks/${subscribed.unitId}/deliveries`]) {
    const { body } = await subscribed.tenant.get(`${path}?task_id=${id}&status=dead`)
    expect(body.data.map((one: { task_id: string }) => one.task_id)).toEqual([id, id, id])
  }
})

test('counts delivered and waiting deliveries, until none waits', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 3, subscribed)
  let responses = 0
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  endpoint.respondWith(async () => {
    responses += 1
    if (responses > 2) await released
    return { status: 204 }
  })
  const id = await startTask(subscribed, 'redrive', { filter: {} })
  const between = await withOutcomes(subscribed, id, ({ outcomes }) => outcomes?.delivered === 2)
  expect(between.outcomes).toMatchObject({ waiting: 1, final: false })
  release()
  expect((await withOutcomes(subscribed, id, isFinal)).outcomes).toMatchObject({ delivered: 3, dead: 0, waiting: 0 })
})

test('keeps its final counts when a later task restarts the deliveries', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 2, subscribed)
  const first = await startTask(subscribed, 'redrive', { filter: {} })
  await withOutcomes(subscribed, first, isFinal)
  endpoint.respondWith(() => ({ status: 204 }))
  const second = await startTask(subscribed, 'redrive', { filter: {} })
  expect((await withOutcomes(subscribed, second, isFinal)).outcomes).toMatchObject({ delivered: 2, dead: 0 })
  expect((await readTask(subscribed, first)).outcomes).toMatchObject({
    delivered: 0,
    dead: 2,
    superseded: 0,
    final: true,
  })
})

test('counts a delivery that a later task restarted as superseded', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 1, subscribed)
  await subscribed.tenant.put(subscribed.path, { enabled: false })
  const first = await startTask(subscribed, 'redrive', { filter: {} })
  expect((await withOutcomes(subscribed, first, ({ outcomes }) => outcomes?.waiting === 1)).outcomes?.final).toBe(false)
  endpoint.respondWith(() => ({ status: 204 }))
  await subscribed.tenant.put(subscribed.path, { enabled: true })
  const hour = 3_600_000
  const range = { since: new Date(Date.now() - hour).toISOString(), until: new Date(Date.now() + hour).toISOString() }
  // The delivery may have been delivered before the recovery selects the held ones: then it belongs to the first task.
  const { body } = await subscribed.tenant.post(`${subscribed.path}/recover`, range)
  const second = await withOutcomes(
    subscribed,
    body.task_id,
    (task) => (task.status === 'done' && task.done === 0) || isFinal(task),
  )
  const { outcomes } = await withOutcomes(subscribed, first, isFinal)
  expect(outcomes).toMatchObject(second.done === 1 ? { delivered: 0, superseded: 1 } : { delivered: 1, superseded: 0 })
})

test('counts the deliveries that a recovery created', async () => {
  const subscribed = await subscribe(world, endpoint.url, { event_types: ['api-key.*'] })
  endpoint.respondWith(() => ({ status: 204 }))
  const event = someEvent(subscribed.tenantId, subscribed.unitId)
  await world.publish(event)
  const stored = () => subscribed.tenant.get(`/v1/webhooks/${subscribed.unitId}/events/${event.id}`)
  await until(async () => (await stored()).status === 200)
  await subscribed.tenant.put(subscribed.path, { event_types: null })
  const hour = 3_600_000
  const range = { since: new Date(Date.now() - hour).toISOString(), until: new Date(Date.now() + hour).toISOString() }
  const { body } = await subscribed.tenant.post(`${subscribed.path}/recover`, { ...range, include_unmatched: true })
  const task = await withOutcomes(subscribed, body.task_id, isFinal)
  expect([task.done, task.outcomes?.delivered]).toEqual([1, 1])
})

test('a discard has no outcomes', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 1, subscribed)
  const id = await startTask(subscribed, 'discard', { filter: {} })
  expect((await ended(subscribed, id)).outcomes).toBeNull()
})

test('lists no delivery of a task of another tenant', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 1, subscribed)
  const id = await startTask(subscribed, 'redrive', { filter: {} })
  await withOutcomes(subscribed, id, isFinal)
  const stranger = await tenantWithUnit(world)
  expect((await stranger.tenant.get(`/v1/webhooks/deliveries?task_id=${id}`)).body.data).toEqual([])
  expect((await stranger.tenant.get(`${letters}/tasks/${id}`)).status).toBe(404)
})

test('while a task runs, no delivery counts as superseded', () => {
  const at = new Date()
  const stored = {
    ...{
      id: 'a',
      tenantId: 'b',
      kind: 'redrive' as const,
      selection: {},
      reason: null,
      ratePerSecond: 5,
      total: 9,
      done: 8,
    },
    ...{ createdBy: 'payer', createdAt: at, delivered: 2, dead: 0, discarded: 0, waiting: 1 },
    ...{ outcomesAt: at, outcomesDueAt: at },
  } as const
  const countSuperseded = (task: StoredTask) => presentTask(task).outcomes?.superseded
  const finishedAt = new Date(at.getTime() - 1)
  expect(countSuperseded({ ...stored, status: 'running', finishedAt: null })).toBe(0)
  expect(countSuperseded({ ...stored, status: 'done', finishedAt: new Date(at.getTime() + 1) })).toBe(0)
  expect(countSuperseded({ ...stored, status: 'done', finishedAt })).toBe(5)
})
