import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Task } from '@payments/contracts/webhooks-dead-letters'
import { withClient } from '@payments/devkit/databases'
import { type Receiver, receiver } from '@payments/testing/receiver'
import { type Subscribed, someEvent, startWorld, subscribe, until, type World } from './world.ts'

const letters = '/v1/webhooks/dead-letters'

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

/** That many dead letters of one subscription, oldest event first. */
async function kill(count: number, subscribed: Subscribed, type = 'payment-proxy.transactions.capture') {
  const before = (await dead(subscribed)).length
  const events = Array.from({ length: count }, () => someEvent(subscribed.tenantId, subscribed.unitId, { type }))
  await Promise.all(events.map((event) => world.publish(event)))
  await until(async () => (await dead(subscribed)).length === before + count)
  return events
}

async function dead({ tenant, id }: Subscribed, query = ''): Promise<{ id: string; tenant_event_id: string }[]> {
  const { body } = await tenant.get(`${letters}?limit=200&subscription_id=${id}${query}`)
  return body.data
}

async function begun({ tenant }: Subscribed, verb: 'redrive' | 'discard', body: object): Promise<string> {
  const reply = await tenant.post(`${letters}/${verb}`, {
    ...body,
    ...(verb === 'discard' ? { reason: 'obsolete' } : {}),
  })
  expect(reply.status).toBe(202)
  return reply.body.task_id
}

async function taskOf({ tenant }: Subscribed, id: string): Promise<Task> {
  return (await tenant.get(`${letters}/tasks/${id}`)).body
}

async function ended(subscribed: Subscribed, id: string): Promise<Task> {
  await until(async () => (await taskOf(subscribed, id)).status !== 'running', 20_000)
  return taskOf(subscribed, id)
}

/** Message for row. */
async function expectInLine() {
  await until(async () => {
    const ids: string[] = []
    await world.broker.deadLetters.walk('webhooks.dead-letters', async (messages) => {
      ids.push(...messages.map(({ messageId }) => messageId))
      return []
    })
    const rows = await world.db.acrossTenants((tx) => tx.delivery.findMany({ where: { status: 'dead' } }))
    return JSON.stringify(ids.sort()) === JSON.stringify(rows.map(({ id }) => id).sort())
  }, 20_000)
}

describe('looking', () => {
  test('lists what is dead, newest first, page by page, by every filter', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const captures = await kill(3, subscribed)
    const [refund] = await kill(1, subscribed, 'payment-proxy.transactions.refund')
    const { tenant, id, unitId } = subscribed
    const [first] = (await tenant.get(`${letters}?limit=1&event_type=payment-proxy.transactions.refund`)).body.data
    expect(first).toEqual({
      id: expect.any(String),
      business_unit_id: unitId,
      subscription_id: id,
      tenant_event_id: refund?.id,
      event_type: 'payment-proxy.transactions.refund',
      destination_url: endpoint.url,
      attempt_count: 1,
      error_kind: 'status',
      status_code: 500,
      last_error: 'status: answered 500',
      occurred_at: refund?.occurred_at,
      dead_at: expect.any(String),
    })
    const page = await tenant.get(`${letters}?limit=3`)
    const rest = await tenant.get(`${letters}?limit=3&cursor=${page.body.next_cursor}`)
    expect(rest.body.next_cursor).toBeNull()
    const listed = [...page.body.data, ...rest.body.data].map(({ tenant_event_id }) => tenant_event_id)
    expect(new Set(listed)).toEqual(new Set([...captures, refund].map((event) => event?.id)))

    const count = async (query: string) => (await tenant.get(`${letters}?${query}`)).body.data.length
    const instant = encodeURIComponent(first.dead_at)
    expect(await count(`business_unit_id=${unitId}&subscription_id=${id}&error_kind=status&status_code=500`)).toBe(4)
    expect(await count(`business_unit_id=${randomUUID()}`)).toBe(0)
    expect(await count(`subscription_id=${randomUUID()}`)).toBe(0)
    expect(await count('error_kind=timeout')).toBe(0)
    expect(await count('status_code=503')).toBe(0)
    expect(await count(`dead_after=${instant}`)).toBe(0)
    expect(await count(`dead_before=${instant}`)).toBe(3)
    expect((await world.asTenant(randomUUID()).get(letters)).body).toEqual({ data: [], next_cursor: null })
  })

  test('counts by cause, by subscription and by event type', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(2, subscribed)
    endpoint.respondWith(() => ({ status: 302, headers: { location: 'https://example.com' } }))
    await kill(1, subscribed, 'payment-proxy.transactions.refund')
    endpoint.respondWith((_, response) => {
      response.destroy()
      return undefined
    })
    await kill(1, subscribed)
    const groups = async (by: string, query = '') => {
      const { body } = await subscribed.tenant.get(`${letters}?group_by=${by}${query}`)
      expect(Object.keys(body)).toEqual(['data'])
      return body.data.map((group: { key: string; count: number }) => [group.key, group.count])
    }
    expect(await groups('cause')).toEqual([
      ['status:500', 2],
      ['redirect:302', 1],
      ['reset', 1],
    ])
    expect(await groups('subscription')).toEqual([[subscribed.id, 4]])
    expect(await groups('event_type')).toEqual([
      ['payment-proxy.transactions.capture', 3],
      ['payment-proxy.transactions.refund', 1],
    ])
    expect(await groups('cause', '&error_kind=reset')).toEqual([['reset', 1]])
    expect(await groups('cause', '&limit=1')).toEqual([['status:500', 2]])
    const { body } = await subscribed.tenant.get(`${letters}?group_by=cause&limit=1`)
    expect(new Date(body.data[0].oldest_at) <= new Date(body.data[0].newest_at)).toBe(true)
    const operator = await world.asOperator.get(`/internal/dead-letters/groups?tenant_id=${subscribed.tenantId}`)
    expect(operator.body.data.map((group: { count: number }) => group.count)).toEqual([2, 1, 1])
  })

  test('shows what was sent and what was answered, and no signature', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const [event] = await kill(1, subscribed)
    const [{ id } = { id: '' }] = await dead(subscribed)
    const [sent] = endpoint.received
    const { body: letter, text } = await subscribed.tenant.get(`${letters}/${id}`)
    expect(letter.request).toEqual({
      method: 'POST',
      url: endpoint.url,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': sent?.headers['user-agent'],
        'Trace-ID': sent?.headers['trace-id'],
        'webhook-id': event?.id,
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'webhook-signature': 'v1,…',
      },
      body: sent?.body.toString('utf8'),
    })
    expect(letter.response).toEqual({ status_code: 500, body: 'out of order', truncated: false })
    expect(letter.attempts).toMatchObject([{ number: 1, status_code: 500, response_body: 'out of order' }])
    expect(text).not.toContain(String(sent?.headers['webhook-signature']).slice('v1,'.length))
    expect(text).not.toContain(subscribed.secret)

    const inspected = await world.asOperator.get(`/internal/dead-letters/${id}`)
    expect(inspected.body).toEqual({ ...letter, tenant_id: subscribed.tenantId })
    for (const reply of [
      await world.asTenant(randomUUID()).get(`${letters}/${id}`),
      await subscribed.tenant.get(`${letters}/${randomUUID()}`),
      await world.asOperator.get(`/internal/dead-letters/${randomUUID()}`),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([404, 'dead_letter_not_found'])
    }
  })

  test('is not mistaken for a business unit, nor a task for a dead letter', async () => {
    const tenant = world.asTenant(randomUUID())
    expect((await tenant.get(letters)).body).toEqual({ data: [], next_cursor: null })
    expect((await tenant.get(`${letters}/tasks`)).body).toEqual({ data: [], next_cursor: null })
    const unit = await tenant.get('/v1/webhooks/dead-letters/deliveries')
    expect([unit.status, unit.body.errors[0].pointer]).toEqual([400, '/path/dead_letter_id'])
    const subscriptions = await tenant.get('/v1/webhooks/dead-letters/webhooks/reveal')
    expect([subscriptions.status, subscriptions.body.errors[0].pointer]).toEqual([400, '/path/business_unit_id'])
  })
})

describe('redriving', () => {
  test('only counts in a dry run', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(2, subscribed)
    const reply = await subscribed.tenant.post(`${letters}/redrive`, { filter: {}, dry_run: true })
    expect([reply.status, reply.body]).toEqual([200, { count: 2 }])
    expect((await subscribed.tenant.get(`${letters}/tasks`)).body.data).toEqual([])
    expect(await dead(subscribed)).toHaveLength(2)
  })

  test('sends what the filter lets through, once, under the same tenant_event_id, and leaves the rest', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const captures = await kill(3, subscribed)
    const refunds = await kill(2, subscribed, 'payment-proxy.transactions.refund')
    endpoint.respondWith(() => ({ status: 204 }))
    const filter = {
      subscription_id: subscribed.id,
      event_type: 'payment-proxy.transactions.capture',
      status_code: 500,
    }
    const id = await begun(subscribed, 'redrive', { filter })
    expect(await ended(subscribed, id)).toEqual({ id, kind: 'redrive', status: 'done', total: 3, done: 3 })
    await until(async () => (await subscribed.deliveries('?status=delivered')).length === 3)
    const again = endpoint.received.slice(5).map((one) => one.headers['webhook-id'])
    expect(new Set(again)).toEqual(new Set(captures.map((event) => event.id)))
    expect(again).toHaveLength(3)
    expect((await dead(subscribed)).map((one) => one.tenant_event_id).sort()).toEqual(
      refunds.map(({ id }) => id).sort(),
    )
    await expectInLine()
  })

  test("passes over another tenant's ids, and what is dead no more", async () => {
    const [mine, theirs] = [await subscribe(world, endpoint.url), await subscribe(world, endpoint.url)]
    await kill(1, mine)
    await kill(1, theirs)
    const [letter] = await dead(mine)
    const [foreign] = await dead(theirs)
    const ids = [letter?.id, foreign?.id, randomUUID()]
    const id = await begun(mine, 'discard', { ids })
    expect(await ended(mine, id)).toMatchObject({ status: 'done', total: 1, done: 1 })
    expect(await dead(theirs)).toEqual([foreign])
    expect(await ended(mine, await begun(mine, 'redrive', { ids }))).toMatchObject({ total: 0, done: 0 })
    const task = await theirs.tenant.get(`${letters}/tasks/${id}`)
    const cancel = await theirs.tenant.post(`${letters}/tasks/${id}/cancel`)
    expect([task.body.code, cancel.body.code]).toEqual(['task_not_found', 'task_not_found'])
    await expectInLine()
  })

  test('keeps to the rate, can be canceled, and leaves what it has not reached', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(8, subscribed)
    endpoint.respondWith(() => ({ status: 204 }))
    const id = await begun(subscribed, 'redrive', { filter: {}, rate_per_second: 2 })
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
    await expectInLine()
    expect(await taskOf(subscribed, id)).toEqual(canceled.body)
  })

  test('cannot be canceled when it is done, nor where there is none', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const id = await begun(subscribed, 'redrive', { filter: {} })
    await ended(subscribed, id)
    const late = await subscribed.tenant.post(`${letters}/tasks/${id}/cancel`)
    expect([late.status, late.body.code]).toEqual([409, 'task_finished'])
    const none = await subscribed.tenant.post(`${letters}/tasks/${randomUUID()}/cancel`)
    expect([none.status, none.body.code]).toEqual([404, 'task_not_found'])
  })

  test('answers the same task for the same Idempotency-Key', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(1, subscribed)
    const headers = { 'Idempotency-Key': randomUUID() }
    const first = await subscribed.tenant.post(`${letters}/redrive`, { filter: {} }, headers)
    const second = await subscribed.tenant.post(`${letters}/redrive`, { filter: {} }, headers)
    expect([second.status, second.body]).toEqual([202, first.body])
    expect((await subscribed.tenant.get(`${letters}/tasks`)).body.data).toHaveLength(1)
  })
})

describe('tasks', () => {
  test('twenty-five at once: twenty run, the others are refused', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(3, subscribed)
    const asked = Array.from({ length: 25 }, () =>
      subscribed.tenant.post(`${letters}/redrive`, { filter: {}, rate_per_second: 1 }),
    )
    const replies = await Promise.all(asked)
    const refused = replies.filter(({ status }) => status !== 202)
    for (const reply of refused) expect([reply.status, reply.body.code]).toEqual([409, 'too_many_tasks'])
    const { data: tasks } = (await subscribed.tenant.get(`${letters}/tasks?limit=200`)).body as { data: Task[] }
    expect(tasks.length + refused.length).toBe(25)
    expect(tasks.filter(({ status }) => status === 'running').length).toBeLessThanOrEqual(20)
    await Promise.all(tasks.map(({ id }) => ended(subscribed, id)))
    const done = await Promise.all(tasks.map(async ({ id }) => (await taskOf(subscribed, id)).done))
    expect(done.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(3)
  })

  test('are shared by the dispatchers, and nothing is counted twice', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(40, subscribed)
    const half = { filter: {}, rate_per_second: 100 }
    const ids = await Promise.all([1, 2, 3, 4].map(() => begun(subscribed, 'discard', half)))
    const tasks = await Promise.all(ids.map((id) => ended(subscribed, id)))
    expect(tasks.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done'])
    expect(tasks.reduce((sum, { done }) => sum + done, 0)).toBe(40)
    expect(await dead(subscribed)).toEqual([])
    const rows = await world.db.inTenant(subscribed.tenantId, (tx) => tx.delivery.findMany({ omit: { body: true } }))
    expect(rows.map(({ status, discardReason }) => [status, discardReason])).toEqual(
      Array.from({ length: 40 }, () => ['discarded', 'obsolete']),
    )
    expect(rows.every(({ discardedBy }) => discardedBy?.startsWith('api_key:'))).toBe(true)
    await expectInLine()
  })

  test('fail after ten turns in a row that did, and say so', async () => {
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

  test('of every tenant are seen and canceled by operators', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(3, subscribed)
    const id = await begun(subscribed, 'discard', { filter: {}, rate_per_second: 1 })
    const listed = (await world.asOperator.get('/internal/tasks')).body.data.find((one: Task) => one.id === id)
    expect(listed).toMatchObject({ kind: 'discard', tenant_id: subscribed.tenantId, reason: 'obsolete', total: 3 })
    const canceled = await world.asOperator.post(`/internal/tasks/${id}/cancel`, { operator: 'somebody' })
    expect(canceled.body).toMatchObject({ id, status: 'canceled', created_by: expect.stringMatching(/^api_key:/) })
    expect(await taskOf(subscribed, id)).toMatchObject({ status: 'canceled' })
  })
})
