import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import type { TaskKind } from '@payments/contracts/services/webhooks/dead-letters'
import { letters } from './dead-letter-world.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Stores a task that no dispatcher runs. */
async function stored(tenantId: string | null, given: { id?: string; kind?: TaskKind; selection?: object } = {}) {
  const task = { id: newId(), kind: 'redrive' as const, selection: {}, total: 7, createdBy: 'api_key:a', ...given }
  await world.db.acrossTenants((tx) => tx.task.create({ data: { ...task, tenantId } }))
  return task
}

test('returns the task with its progress, its selection and who created it', async () => {
  const [tenantId, subscriptionId] = [randomUUID(), randomUUID()]
  const { id } = await stored(tenantId, { selection: { subscriptionId } })
  const finishedAt = new Date()
  const data = { done: 3, status: 'canceled' as const, reason: 'obsolete', ratePerSecond: 5, finishedAt }
  await world.db.inTenant(tenantId, (tx) => tx.task.update({ where: { id }, data }))
  const reply = await world.asTenant(tenantId).get(`${letters}/tasks/${id}`)
  const progress = { id, kind: 'redrive', status: 'canceled', total: 7, done: 3, outcomes: null }
  const details = { subscription_id: subscriptionId, reason: 'obsolete', rate_per_second: 5, created_by: 'api_key:a' }
  const times = { created_at: expect.any(String), finished_at: finishedAt.toISOString() }
  expect([reply.status, reply.body]).toEqual([200, { ...progress, ...details, ...times }])
})

test('returns the same 404 for a task of another tenant, of an operator, and a missing one', async () => {
  const tenant = world.asTenant(randomUUID())
  const ids = [(await stored(randomUUID())).id, (await stored(null)).id, randomUUID()]
  const replies = await Promise.all(ids.map((id) => tenant.get(`${letters}/tasks/${id}`)))
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual(ids.map(() => [404, 'task_not_found']))
  expect(new Set(replies.map(({ body }) => JSON.stringify({ ...body, trace_id: '' }))).size).toBe(1)
})

test('an operator reads the tasks of every tenant and of operators', async () => {
  const tenantId = randomUUID()
  for (const createdFor of [tenantId, null]) {
    const { id } = await stored(createdFor)
    const reply = await world.asOperator.get(`/internal/tasks/${id}`)
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        ...{ id, kind: 'redrive', status: 'running', total: 7, done: 0, tenant_id: createdFor, reason: null },
        ...{ subscription_id: null, outcomes: null },
        ...{ rate_per_second: null, created_by: 'api_key:a', created_at: expect.any(String), finished_at: null },
      },
    ])
  }
  const missing = await world.asOperator.get(`/internal/tasks/${randomUUID()}`)
  expect([missing.status, missing.body.code]).toEqual([404, 'task_not_found'])
})
