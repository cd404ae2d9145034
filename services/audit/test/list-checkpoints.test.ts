import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
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

describe('listCheckpoints', () => {
  test('a checkpoint is the newest seal of its chain', async () => {
    await world.sealedChain(tenantId)
    const { body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification`)
    expect(body.seals.at(-1)).toEqual(
      expect.objectContaining({ sequence: 3, hash: (await world.readCheckpoint(tenantId)).hash }),
    )
  })

  test('pages contain each sealed chain once, and no chain without a seal', async () => {
    const sealed = [randomUUID(), randomUUID(), randomUUID()]
    for (const id of sealed) await world.store([createRecord(id)])
    await world.seal()
    await world.store([createRecord(tenantId)])
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await world.asOperator.get(`/internal/checkpoints?limit=2${cursor}`)
      expect(body.data.length).toBeLessThanOrEqual(2)
      seen.push(...body.data.map((checkpoint: { tenant_id: string }) => checkpoint.tenant_id))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(sealed))
    expect(seen).not.toContain(tenantId)
  })
})
