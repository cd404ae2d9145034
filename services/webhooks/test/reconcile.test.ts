import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { type QueueWorld, startQueueWorld } from './queue-world.ts'

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
