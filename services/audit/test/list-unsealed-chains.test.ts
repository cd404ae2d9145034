import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { listUnsealedChains } from '../src/verbs/read-chains.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
let tenantId: string
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(() => {
  tenantId = randomUUID()
})
afterAll(() => world.stop())

describe('listUnsealedChains', () => {
  const unsealed = (chainsMax = 500) => listUnsealedChains(world.deps, { after: null, chainsMax })

  test('lists a chain while it has records without a seal', async () => {
    expect(await unsealed()).not.toContain(tenantId)
    await world.store([createRecord(tenantId)])
    expect(await unsealed()).toContain(tenantId)
    await world.seal()
    expect(await unsealed()).toEqual([])
    await world.store([createRecord(tenantId)])
    expect(await unsealed()).toEqual([tenantId])
    await world.seal()
  })

  test('lists at most the given number of chains; sealing continues with the others', async () => {
    await world.store([createRecord(randomUUID()), createRecord(randomUUID()), createRecord(null)])
    const first = await unsealed(2)
    expect(first).toHaveLength(2)
    expect(await unsealed()).toHaveLength(3)
    await world.seal()
    expect(await unsealed()).toEqual([])
  })
})
