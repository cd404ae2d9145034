import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { retainRecords } from '../src/verbs/retain-records.ts'
import { recordOf, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function partitions(): Promise<string[]> {
  const { rows } = await world.owner.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_records'::regclass ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

const dayOf = (offset: number) =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')

/** As if a record had been stored so many days ago. */
async function ageBy(days: number): Promise<void> {
  const [from, to] = [dayOf(-days), dayOf(1 - days)]
  await world.owner.query(
    `CREATE TABLE audit_records_${from} PARTITION OF audit_records FOR VALUES FROM ('${from}') TO ('${to}')`,
  )
  await world.tamper(`UPDATE audit_records SET stored_on = '${from}'`)
}

test('makes the partitions of the week ahead, and drops what is older than it is kept', async () => {
  const tenantId = randomUUID()
  await world.store([recordOf(tenantId), recordOf(tenantId)])
  await ageBy(40)
  await world.seal()
  expect(await retainRecords(world.deps)).toEqual({ made: 7, dropped: 1 })
  expect(await retainRecords(world.deps)).toEqual({ made: 0, dropped: 0 })
  expect(await partitions()).toEqual(Array.from({ length: 8 }, (_, i) => `audit_records_${dayOf(i)}`))

  await world.store([recordOf(tenantId)])
  await world.seal()
  const { body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification`)
  expect(body).toMatchObject({ findings: [], beyond_retention: 1, records_checked: 1 })
})

test('verification does not take a day that is kept for a purged one', async () => {
  const tenantId = randomUUID()
  await world.store([recordOf(tenantId)])
  await world.seal()
  await world.owner.query(`DROP TABLE audit_records_${dayOf(0)}`)
  expect((await world.findings(tenantId)).map(({ kind }) => kind)).toEqual(['record_removed'])
  world.putClockForward(31 * 86_400_000)
  expect(await world.findings(tenantId)).toEqual([])
})

test('nobody drops the last seven days, whatever is configured', async () => {
  await expect(retainRecords({ ...world.deps, retentionDays: 6 })).rejects.toThrow('at least 7 days')
})

test('a seal holds the records of one day only', async () => {
  const tenantId = randomUUID()
  await world.store([recordOf(tenantId)])
  await ageBy(3)
  await world.store([recordOf(tenantId)])
  await world.seal()
  await world.seal()
  const { body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification`)
  expect([body.seals.length, body.findings]).toEqual([2, []])
})
