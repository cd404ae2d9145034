import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findNextSealing } from '../src/verbs/read-chains.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('sealing is due while a chain has records that are not sealed', async () => {
  const next = () => findNextSealing(world.deps)
  expect(await next()).toBeNull()
  await world.store([createRecord(randomUUID())])
  expect(await next()).toBeLessThanOrEqual(0)
  await world.seal()
  expect(await next()).toBeNull()
})
