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
async function stored(tenantId: string | null, given: { id?: string; kind?: TaskKind } = {}) {
  const task = { id: newId(), kind: 'redrive' as const, selection: {}, total: 7, createdBy: 'api_key:a', ...given }
  await world.db.acrossTenants((tx) => tx.task.create({ data: { ...task, tenantId } }))
  return task
}

const listIds = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

test('returns pages of the tasks of the tenant, newest first', async () => {
  const tenantId = randomUUID()
  const [first, second] = [await stored(tenantId), await stored(tenantId, { kind: 'discard' })]
  await stored(randomUUID())
  await stored(null)
  const tenant = world.asTenant(tenantId)
  const page = await tenant.get(`${letters}/tasks?limit=1`)
  const rest = await tenant.get(`${letters}/tasks?limit=1&cursor=${page.body.next_cursor}`)
  expect(page.body.data).toMatchObject([{ id: second.id, kind: 'discard', status: 'running', total: 7, done: 0 }])
  expect(page.body.data[0]).not.toHaveProperty('tenant_id')
  expect([listIds(rest.body), rest.body.next_cursor]).toEqual([[first.id], null])
})

test('shows another tenant no tasks', async () => {
  await stored(randomUUID())
  const reply = await world.asTenant(randomUUID()).get(`${letters}/tasks`)
  expect(reply.body).toEqual({ data: [], next_cursor: null })
})

test('shows an operator the tasks of every tenant and of operators', async () => {
  const tenantId = randomUUID()
  const ids = [(await stored(tenantId)).id, (await stored(null)).id]
  const { body } = await world.asOperator.get('/internal/tasks?limit=2')
  expect(listIds(body)).toEqual([...ids].reverse())
  expect(body.data.map((task: { tenant_id: string | null }) => task.tenant_id)).toEqual([null, tenantId])
})

test.each(['limit=0', 'cursor=x', 'page=2'])('rejects ?%s', async (query) => {
  const { status, body } = await world.asTenant(randomUUID()).get(`${letters}/tasks?${query}`)
  expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', `/query/${query.split('=')[0]}`])
})
