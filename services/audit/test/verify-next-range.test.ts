import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { verifyNextRange } from '../src/verbs/verify-next-range.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const dayMs = 24 * 60 * 60_000

describe('verifyNextRange', () => {
  test('takes each chain once a day, one process a range, and the one that waited longest first', async () => {
    const tenants = [randomUUID(), randomUUID(), randomUUID()]
    for (const id of tenants) {
      await world.store([createRecord(id)])
      await world.seal()
      await world.owner.query(
        "INSERT INTO audit_verifications (tenant_id, due_at) VALUES ($1, now() - interval '1 second')",
        [id],
      )
    }
    const verified = await Promise.all(Array.from({ length: 3 }, () => verifyNextRange(world.deps)))
    expect(new Set(verified.map((range) => range?.tenantId))).toEqual(new Set(tenants))
    expect(await verifyNextRange(world.deps)).toBeUndefined()
    world.advanceClock(dayMs + 1_000)
    expect((await verifyNextRange(world.deps))?.tenantId).not.toBeUndefined()
  })
})
