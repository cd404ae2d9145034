import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function listPositions(tenantId: string): Promise<number[]> {
  const sql = 'SELECT position FROM audit_records WHERE tenant_id = $1 ORDER BY position'
  const { rows } = await world.owner.query<{ position: string }>(sql, [tenantId])
  return rows.map(({ position }) => Number(position))
}

const alter = (table: string, change: string) => world.owner.query(`ALTER TABLE ${table} ${change}`)

describe('storeRecords', () => {
  test('stores a repeated record once, within a batch and over several batches', async () => {
    const tenantId = randomUUID()
    const record = createRecord(tenantId)
    expect(await world.store([record, record])).toBe(1)
    expect(await world.store([record, createRecord(tenantId)])).toBe(1)
    expect(await listPositions(tenantId)).toEqual([1, 2])
  })

  test('stores a record once that is repeated long after it occurred', async () => {
    const tenantId = randomUUID()
    const record = createRecord(tenantId, { occurred_at: new Date(Date.now() - 20 * 86_400_000).toISOString() })
    expect([await world.store([record]), await world.store([record])]).toEqual([1, 0])
  })

  test('stores a record once that is repeated after midnight, and days later', async () => {
    const tenantId = randomUUID()
    const ofYesterday = createRecord(tenantId, { occurred_at: new Date(Date.now() - 5 * 60_000).toISOString() })
    const older = createRecord(tenantId, { occurred_at: new Date(Date.now() - 9 * 86_400_000).toISOString() })
    await world.store([ofYesterday, older])
    await world.moveToDay(1, 'id = $1', ofYesterday.id)
    await world.moveToDay(3, 'id = $1', older.id)
    expect(await world.store([ofYesterday, older, createRecord(tenantId)])).toBe(1)
    expect(await listPositions(tenantId)).toEqual([1, 2, 3])
  })

  test('ten concurrent calls with common records assign positions without gaps', async () => {
    const tenants = [randomUUID(), randomUUID(), randomUUID()]
    const shared = tenants.map((tenantId) => createRecord(tenantId))
    const batches = Array.from({ length: 10 }, (_, i) => {
      const own = tenants.flatMap((tenantId) => [createRecord(tenantId), createRecord(tenantId)])
      return i % 2 === 0 ? [...shared, ...own] : [...own, ...shared].reverse()
    })
    const stored = await Promise.all(batches.map((batch) => world.store(batch)))
    expect(stored.reduce((sum, count) => sum + count, 0)).toBe(63)
    for (const tenantId of tenants) {
      expect(await listPositions(tenantId)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1))
    }
  })

  test('records are stored while a later release adds columns with the names of the statement', async () => {
    const names = ['added', 'distance', 'is_stored', 'ordinality', 'records', 'stored', 'status', 'method', 'id']
    const tables = ['audit_chains', 'audit_records']
    for (const table of tables) for (const name of names) await alter(table, `ADD COLUMN IF NOT EXISTS "${name}" text`)
    const tenantId = randomUUID()
    expect(await world.store([createRecord(tenantId), createRecord(tenantId)])).toBe(2)
    expect(await world.store([createRecord(tenantId)])).toBe(1)
    expect(await listPositions(tenantId)).toEqual([1, 2, 3])
  })

  test('a record cannot be changed or deleted, not even by the owner of the table', async () => {
    const tenantId = randomUUID()
    await world.store([createRecord(tenantId)])
    await world.seal()
    for (const sql of [
      'UPDATE audit_records SET status = 200',
      'DELETE FROM audit_records',
      "UPDATE audit_seals SET digest = ''",
      'DELETE FROM audit_seals',
    ]) {
      await expect(world.owner.query(`${sql} WHERE tenant_id = $1`, [tenantId])).rejects.toThrow('never changed')
    }
  })

  test('the database shows a transaction only the records of its tenant, in every partition', async () => {
    const tenantId = randomUUID()
    await world.store([createRecord(tenantId), createRecord(null)])
    const { rows } = await world.owner.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_records'::regclass`,
    )
    const count = (scope: string, table: string) =>
      world.deps.db.inTenant(scope, async (tx) => {
        const [row] = await tx.$queryRawUnsafe<[{ count: bigint }]>(`SELECT count(*) FROM ${table}`)
        return Number(row.count)
      })
    expect(rows.length).toBeGreaterThan(0)
    for (const { name } of rows) expect(await count('*', name)).toBe(0)
    expect(await count(tenantId, 'audit_records')).toBe(1)
    expect(await count('', 'audit_records')).toBe(0)
  })
})

test('a chain that grows and is sealed while it is verified is without findings', async () => {
  const tenantId = randomUUID()
  await world.store([createRecord(tenantId)])
  let isWriting = true
  const writer = (async () => {
    while (isWriting) {
      await world.store([createRecord(tenantId), createRecord(tenantId)])
      await world.seal()
    }
  })()
  for (let i = 0; i < 15; i++) expect(await world.findings(tenantId)).toEqual([])
  isWriting = false
  await writer
  expect(await world.findings(tenantId)).toEqual([])
})
