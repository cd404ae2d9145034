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

describe('sealChain', () => {
  test('includes a late record in the next seal', async () => {
    await world.sealedChain(tenantId)
    await world.store([createRecord(tenantId, { occurred_at: '2026-01-01T00:00:00.000Z' })])
    expect(await world.seal()).toBe(1)
    expect(await world.findings(tenantId)).toEqual([])
  })

  test('is sealed by one process at a time, and no record is sealed twice', async () => {
    await world.store(Array.from({ length: 9 }, () => createRecord(tenantId)))
    const sealed = await Promise.all(Array.from({ length: 10 }, () => world.seal()))
    expect(sealed.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(await world.findings(tenantId)).toEqual([])
  })

  test('a seal ends where the day changes', async () => {
    await world.store(Array.from({ length: 6 }, () => createRecord(tenantId)))
    await world.moveToDay(1, 'tenant_id = $1 AND position <= 2', tenantId)
    expect([await world.seal(), await world.seal(), await world.seal()]).toEqual([1, 1, 0])
    const { rows } = await world.owner.query(
      `SELECT from_position::int AS from, to_position::int AS to
       FROM audit_seals WHERE tenant_id = $1 ORDER BY sequence`,
      [tenantId],
    )
    expect(rows).toEqual([
      { from: 1, to: 2 },
      { from: 3, to: 6 },
    ])
    expect(await world.findings(tenantId)).toEqual([])
  })

  test('every chain has its turn in a run, however many there are and whatever their tenants write', async () => {
    const tenants = Array.from({ length: 7 }, () => randomUUID())
    for (const id of tenants) await world.store([createRecord(id)])
    expect(await world.seal(2)).toBe(7)
    for (const id of tenants) expect(await world.findings(id)).toEqual([])
  })

  test('a chain that lacks a record is not sealed, and does not delay another chain', async () => {
    const other = randomUUID()
    for (const id of [tenantId, other]) await world.store([createRecord(id), createRecord(id), createRecord(id)])
    await world.tamper('DELETE FROM audit_records WHERE tenant_id = $1 AND position = 2', tenantId)
    expect(await world.seal()).toBe(1)
    expect(await world.findings(other)).toEqual([])
    const { rowCount } = await world.owner.query('SELECT 1 FROM audit_seals WHERE tenant_id = $1', [tenantId])
    expect(rowCount).toBe(0)
  })
})
