import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findNextVerification } from '../src/verbs/read-chains.ts'
import { verifyNextRange } from '../src/verbs/verify-next-range.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('a new chain is verified at once after its first seal, and a verified one again a day later', async () => {
  const next = () => findNextVerification(world.deps)
  await world.store([createRecord(randomUUID())])
  expect(await next()).toBeNull()
  await world.seal()
  expect(await next()).toBeLessThanOrEqual(0)
  expect((await verifyNextRange(world.deps))?.findings).toEqual([])
  const dueMs = await next()
  expect(dueMs).toBeGreaterThan(23 * 3_600_000)
  expect(dueMs).toBeLessThanOrEqual(24 * 3_600_000)
})
