import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { DeadLetterQueues } from '../src/broker/dead-letter-queues.ts'
import { deadLetterIds } from './dead-letter-world.ts'
import { type QueueWorld, startQueueWorld } from './queue-world.ts'
import { type Subscribed, startWorld, subscribe, type World } from './world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await startQueueWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.openEndpoint()
})
afterEach(() => world.clear())

test('the dispatcher publishes the dead letter at the last attempt itself: the reconciliation adds none', async () => {
  const added = async () =>
    (await world.dispatcher.metrics.registry.metrics()).match(
      /dead_letters_reconciled_total\{repair="added".*\} (\d+)/,
    )?.[1] ?? '0'
  await until(async () => (await world.queue('webhooks.dead-letters')).depth === 0)
  const before = await added()
  await world.killOne()
  await until(async () => (await world.queue('webhooks.dead-letters')).depth === 1)
  expect(await added()).toBe(before)
})

test('the reconciliation restores a lost message and removes stale and duplicate messages', async () => {
  const { delivery, subscribed } = await world.killOne()
  await world.depthIs('webhooks.dead-letters', 1)
  const row = { id: delivery.id, tenantId: subscribed.tenantId, subscriptionId: subscribed.id, eventType: 'a.b' }
  await world.broker.deadLetters.publishDeadLetter(row)
  await world.broker.deadLetters.publishDeadLetter({ ...row, id: randomUUID() })
  await world.reconcile(0)
  await world.expectQueueMatchesRows()

  await world.broker.deadLetters.browse('webhooks.dead-letters', async (messages) => messages)
  await world.reconcile(0)
  await world.expectQueueMatchesRows()
})

test('ten reconciliations at once find one message per row and repair nothing', async () => {
  await world.killOne()
  await world.killOne()
  await world.depthIs('webhooks.dead-letters', 2)
  const repaired = await Promise.all(Array.from({ length: 10 }, () => world.reconcile(0)))
  expect(repaired).toEqual(Array.from({ length: 10 }, () => ({ removed: 0, added: 0 })))
  await world.expectQueueMatchesRows()
})

/** A world without a dispatcher, with `count` dead deliveries, whose reconciliation sees `messagesMax` messages. */
async function startLongQueue(count: number, messagesMax: number) {
  const quiet = await startWorld()
  const { consuming: connection, publisher, prefix } = quiet.broker
  const deadLetters = new DeadLetterQueues({ connection, publisher, prefix, messagesMax })
  const subscribed = await subscribe(quiet, 'https://receiver.example/hooks')
  await insertDead(quiet, subscribed, count)
  const { rows } = await deadLetterIds(quiet)
  const publish = async (ids: readonly string[]) => {
    const { tenantId, id: subscriptionId } = subscribed
    for (const id of ids) await deadLetters.publishDeadLetter({ id, tenantId, subscriptionId, eventType: 'a.b' })
  }
  return { ...quiet, deadLetters, rows, publish }
}

function insertDead(quiet: World, { tenantId, id, unitId }: Subscribed, count: number): Promise<unknown> {
  return quiet.rows(
    `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at,
       trace_id, body, status, attempt_count, last_error_kind, last_error, dead_at)
     SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
       $1::uuid, $2::uuid, $3::uuid, gen_random_uuid(), 'a.b', now(), gen_random_uuid(), '{}', 'dead', 1, 'status',
       'HTTP 500', now()
     FROM generate_series(1, $4::int) AS n`,
    tenantId,
    id,
    unitId,
    count,
  )
}

test('the reconciliation adds no more messages than it sees, and none twice', async () => {
  const long = await startLongQueue(8, 5)
  expect(await long.reconcile(0, long.deadLetters)).toEqual({ removed: 0, added: 5 })
  for (let run = 0; run < 3; run += 1)
    expect(await long.reconcile(0, long.deadLetters)).toEqual({ removed: 0, added: 0 })
  await long.publish(long.rows.slice(5, 7))
  for (let run = 0; run < 3; run += 1)
    expect(await long.reconcile(0, long.deadLetters)).toEqual({ removed: 0, added: 0 })
  expect((await deadLetterIds(long)).messages).toEqual(long.rows.slice(0, 7))
  await long.stop()
})

test('surplus messages behind those that the reconciliation sees are removed', async () => {
  const long = await startLongQueue(4, 3)
  await long.publish([...long.rows, ...long.rows, randomUUID(), randomUUID()])
  expect(await long.reconcile(0, long.deadLetters)).toEqual({ removed: 7, added: 0 })
  expect(await long.reconcile(0, long.deadLetters)).toEqual({ removed: 0, added: 0 })
  expect((await deadLetterIds(long)).messages).toEqual(long.rows.slice(0, 3))
  expect(await long.reconcile(0)).toEqual({ removed: 0, added: 1 })
  expect((await deadLetterIds(long)).messages).toEqual(long.rows)
  await long.stop()
})

test('a broker that accepts no message does not keep surplus messages', async () => {
  const long = await startLongQueue(1, 3)
  await long.publish([randomUUID()])
  await long.broker.publisher.close()
  await expect(long.reconcile(0, long.deadLetters)).rejects.toThrow('the publisher is closed')
  expect((await deadLetterIds(long)).messages).toEqual([])
  await long.stop()
})
