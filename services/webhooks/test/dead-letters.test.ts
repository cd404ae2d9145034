import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/receiver'
import { settled, someEvent, startWorld, subscribe, until, type World } from './world.ts'

const dlq = '/internal/dead-letter-queues'
const path = `${dlq}/webhooks.dead-letters`
const quarantine = `${dlq}/webhooks.quarantine`

let world: World
let dispatcher: Awaited<ReturnType<World['dispatch']>>
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,50ms' })
  dispatcher = await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500 }))
})
afterEach(async () => {
  await changed('discard', path, { filter: {} })
  await changed('discard', quarantine, { filter: {} })
  await endpoint.close()
})

interface Queue {
  name: string
  depth: number
  oldest_at: string | null
}

async function queue(name: string): Promise<Queue> {
  const { body } = await world.asOperator.get(dlq)
  const found = (body as { data: Queue[] }).data.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no queue ${name}`)
  return found
}

async function killOne() {
  const subscribed = await subscribe(world, endpoint.url)
  const event = someEvent(subscribed.tenantId, subscribed.unitId)
  await world.publish(event)
  const delivery = await settled(subscribed, 'dead')
  return { subscribed, event, delivery }
}

/** Sends a request as an operator and waits for its task. Returns the number of changed deliveries. */
async function changed(verb: 'redrive' | 'discard', queuePath: string, choice: object): Promise<number> {
  const body = { operator: 'operator-1', ...choice, ...(verb === 'discard' ? { reason: 'a test' } : {}) }
  const reply = await world.asOperator.post(`${queuePath}/${verb}`, body)
  if (reply.status === 200) return reply.body.count
  expect(reply.status).toBe(202)
  let done = 0
  await until(async () => {
    const { body: task } = await world.asOperator.get(`/internal/tasks/${reply.body.task_id}`)
    done = task.done
    return task.status === 'done'
  })
  return done
}

const depthIs = (name: string, depth: number) => until(async () => (await queue(name)).depth === depth)

/** The queue contains one message per dead delivery, and no others. */
async function expectQueueMatchesRows() {
  const ids: string[] = []
  await world.broker.deadLetters.browse('webhooks.dead-letters', async (messages) => {
    ids.push(...messages.map((message) => message.messageId))
    return []
  })
  const rows = await world.db.acrossTenants((tx) => tx.delivery.findMany({ where: { status: 'dead' } }))
  expect(ids.sort()).toEqual(rows.map((row) => row.id).sort())
}

test('the dispatcher publishes the dead letter at the last attempt itself: the reconciliation adds none', async () => {
  const added = async () =>
    (await dispatcher.metrics.registry.metrics()).match(
      /dead_letters_reconciled_total\{repair="added".*\} (\d+)/,
    )?.[1] ?? '0'
  await until(async () => (await queue('webhooks.dead-letters')).depth === 0)
  const before = await added()
  await killOne()
  await until(async () => (await queue('webhooks.dead-letters')).depth === 1)
  expect(await added()).toBe(before)
})

describe('dead letters', () => {
  test('lists, peeks and redrives a dead delivery until it is delivered', async () => {
    const { subscribed, event, delivery } = await killOne()
    await depthIs('webhooks.dead-letters', 1)
    expect((await queue('webhooks.dead-letters')).oldest_at).not.toBeNull()

    const peeked = await world.asOperator.get(`${path}/messages`)
    expect(peeked.body.data).toEqual([
      {
        id: delivery.id,
        tenant_id: subscribed.tenantId,
        business_unit_id: subscribed.unitId,
        event_type: event.type,
        tenant_event_id: event.id,
        destination_url: endpoint.url,
        attempts: 2,
        last_error: 'status: responded with 500',
        dead_at: expect.any(String),
      },
    ])
    expect((await queue('webhooks.dead-letters')).depth).toBe(1)

    endpoint.respondWith(() => ({ status: 200 }))
    expect(await changed('redrive', path, { ids: [delivery.id.toUpperCase()] })).toBe(1)
    const delivered = await settled(subscribed, 'delivered')
    expect(delivered.attempts.map((attempt) => attempt.number)).toEqual([1, 2, 3])
    expect(endpoint.received.map((one) => one.headers['webhook-id'])).toEqual([event.id, event.id, event.id])
    await depthIs('webhooks.dead-letters', 0)
    await expectQueueMatchesRows()
  })

  test('a redrive restarts the schedule: the delivery is dead again after the same number of attempts', async () => {
    const { subscribed, delivery } = await killOne()
    expect(await changed('redrive', path, { filter: {} })).toBe(1)
    await until(async () => (await subscribed.delivery(delivery.id)).attempts.length === 4)
    await settled(subscribed, 'dead')
    await depthIs('webhooks.dead-letters', 1)
    await expectQueueMatchesRows()
  })

  test('discards the selected dead letters and no others', async () => {
    const [discarded, other] = [await killOne(), await killOne()]
    await depthIs('webhooks.dead-letters', 2)
    expect(await changed('discard', path, { ids: [discarded.delivery.id, randomUUID()] })).toBe(1)
    await settled(discarded.subscribed, 'discarded')
    await depthIs('webhooks.dead-letters', 1)
    await expectQueueMatchesRows()
    await settled(other.subscribed, 'dead')
  })

  test('the reconciliation restores a lost message and removes stale and duplicate messages', async () => {
    const { delivery, subscribed } = await killOne()
    await depthIs('webhooks.dead-letters', 1)
    const row = { id: delivery.id, tenantId: subscribed.tenantId, subscriptionId: subscribed.id, eventType: 'a.b' }
    await world.broker.deadLetters.publishDeadLetter(row)
    await world.broker.deadLetters.publishDeadLetter({ ...row, id: randomUUID() })
    await world.reconcile(0)
    await expectQueueMatchesRows()

    await world.broker.deadLetters.browse('webhooks.dead-letters', async (messages) => messages)
    await world.reconcile(0)
    await expectQueueMatchesRows()
  })

  test('ten reconciliations at once find one message per row and repair nothing', async () => {
    await killOne()
    await killOne()
    await depthIs('webhooks.dead-letters', 2)
    const repaired = await Promise.all(Array.from({ length: 10 }, () => world.reconcile(0)))
    expect(repaired).toEqual(Array.from({ length: 10 }, () => ({ removed: 0, added: 0 })))
    await expectQueueMatchesRows()
  })

  // In the quarantine queue: the reconciliation removes dead letters without a dead delivery.
  test('a browse removes exactly the selected messages, regardless of their number', async () => {
    const { deadLetters, publisher } = world.broker
    const body = Buffer.from('{}')
    for (let round = 0; round < 15; round += 1) {
      const ids = Array.from({ length: 120 }, () => randomUUID())
      const to = { exchange: '', routingKey: world.names.quarantine, body }
      await Promise.all(ids.map((messageId) => publisher.publish({ ...to, messageId })))
      const remaining = new Set(ids.filter((_, index) => index % 3 === 0))
      for (const wanted of [remaining, new Set<string>()]) {
        await deadLetters.browse('webhooks.quarantine', async (all) => all.filter((one) => !wanted.has(one.messageId)))
        expect(await deadLetters.depth('webhooks.quarantine')).toBe(wanted.size)
      }
    }
  }, 120_000)

  test('the deletion of a subscription discards its dead deliveries', async () => {
    const { subscribed } = await killOne()
    await subscribed.tenant.delete(subscribed.path)
    await settled(subscribed, 'discarded')
    await world.reconcile(0)
    await expectQueueMatchesRows()
  })

  test.each([
    ['get', '/messages'],
    ['post', '/redrive'],
    ['post', '/discard'],
  ] as const)('%s %s of an unknown queue returns queue_not_found', async (method, end) => {
    const target = `${dlq}/webhooks.deliveries${end}`
    const reply = await (method === 'get'
      ? world.asOperator.get(target)
      : world.asOperator.post(target, {
          operator: 'operator-1',
          filter: {},
          ...(end === '/discard' ? { reason: 'a test' } : {}),
        }))
    expect([reply.status, reply.body.code]).toEqual([404, 'queue_not_found'])
  })

  test.each([[{}], [{ filter: {}, ids: [randomUUID()] }], [{ ids: [] }], [{ ids: ['x'] }], [{ filter: { x: 1 } }]])(
    'rejects a redrive of %j',
    async (body) => {
      const { delivery } = await killOne()
      const reply = await world.asOperator.post(`${path}/redrive`, { operator: 'operator-1', ...body })
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
      const peeked = await world.asOperator.get(`${path}/messages`)
      expect(peeked.body.data.map((letter: { id: string }) => letter.id)).toContain(delivery.id)
    },
  )

  test('tenants cannot call the internal endpoints', async () => {
    const reply = await world.asTenant(randomUUID()).get(dlq)
    expect(reply.status).toBe(401)
  })
})

describe('quarantine', () => {
  const unreadable = (content: string) =>
    world.broker.publisher.publish({
      exchange: '',
      routingKey: world.names.events,
      body: Buffer.from(content),
      messageId: randomUUID(),
    })

  test('stores unreadable messages, shows the reason, and does not delay other messages', async () => {
    await unreadable('{"type":"a.b","id":7}')
    await depthIs('webhooks.quarantine', 1)
    const peeked = await world.asOperator.get(`${quarantine}/messages`)
    expect(peeked.body.data).toEqual([
      expect.objectContaining({
        event_type: 'a.b',
        tenant_event_id: null,
        last_error: expect.stringMatching(/^unreadable/),
      }),
    ])
    await killOne()
  })

  test('redrives a message to its original queue, and discards messages', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const event = someEvent(subscribed.tenantId, subscribed.unitId)
    await world.broker.publisher.publish({
      exchange: '',
      routingKey: world.names.quarantine,
      body: Buffer.from(JSON.stringify(event)),
      messageId: event.id,
      headers: { 'x-quarantine-queue': world.names.events },
    })
    await unreadable('not JSON')
    await depthIs('webhooks.quarantine', 2)
    expect(await changed('redrive', quarantine, { ids: [event.id], dry_run: true })).toBe(1)
    await depthIs('webhooks.quarantine', 2)
    expect(await changed('redrive', quarantine, { ids: [event.id] })).toBe(1)
    await settled(subscribed, 'dead')
    expect(await changed('discard', quarantine, { filter: {} })).toBe(1)
    await depthIs('webhooks.quarantine', 0)
  })

  test.each([
    ['/filter', { filter: { event_type: 'webhooks.test' } }],
    ['/rate_per_second', { filter: {}, rate_per_second: 5 }],
  ])('rejects %s, which only dead letters support', async (pointer, choice) => {
    await unreadable('not JSON either')
    await depthIs('webhooks.quarantine', 1)
    const reply = await world.asOperator.post(`${quarantine}/redrive`, { operator: 'operator-1', ...choice })
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([400, 'invalid_request', pointer])
    await depthIs('webhooks.quarantine', 1)
  })
})
