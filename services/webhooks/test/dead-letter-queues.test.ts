import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

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
