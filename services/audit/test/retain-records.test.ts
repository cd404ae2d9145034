import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { retainRecords } from '../src/verbs/retain-records.ts'
import { createRecord, startWorld, type World } from './world.ts'

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

const formatPartitionDay = (offset: number) =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')

const ageBy = (days: number) => world.moveToDay(days, 'true')

test('creates the partitions of the next week, and drops partitions beyond retention', async () => {
  const tenantId = randomUUID()
  await world.store([createRecord(tenantId), createRecord(tenantId)])
  await ageBy(40)
  await world.seal()
  expect(await retainRecords(world.deps)).toEqual({ created: 7, dropped: 1 })
  expect(await retainRecords(world.deps)).toEqual({ created: 0, dropped: 0 })
  expect(await partitions()).toEqual(Array.from({ length: 8 }, (_, i) => `audit_records_${formatPartitionDay(i)}`))

  await world.store([createRecord(tenantId)])
  await world.seal()
  const { body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification`)
  expect(body).toMatchObject({ findings: [], beyond_retention: 1, records_checked: 1 })
})

test('verification reports missing records of a day within retention', async () => {
  const tenantId = randomUUID()
  await world.store([createRecord(tenantId)])
  await world.seal()
  await world.owner.query(`DROP TABLE audit_records_${formatPartitionDay(0)}`)
  expect((await world.findings(tenantId)).map(({ kind }) => kind)).toEqual(['record_removed'])
  world.advanceClock(31 * 86_400_000)
  expect(await world.findings(tenantId)).toEqual([])
})

test('ten concurrent runs create each partition once', async () => {
  const created = await Promise.all(Array.from({ length: 10 }, async () => (await retainRecords(world.deps)).created))
  expect(created.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1)
  const { rows } = await world.owner.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_records'::regclass`,
  )
  for (const { name } of rows) await world.owner.query(`DROP TABLE ${name}`)
  const again = await Promise.all(Array.from({ length: 10 }, async () => (await retainRecords(world.deps)).created))
  expect(again.filter((count) => count > 0)).toEqual([8])
})

test('rejects a retention period below seven days', async () => {
  await expect(retainRecords({ ...world.deps, retentionDays: 6 })).rejects.toThrow('at least 7 days')
})

test('a seal contains the records of one day only', async () => {
  const tenantId = randomUUID()
  await world.store([createRecord(tenantId)])
  await ageBy(3)
  await world.store([createRecord(tenantId)])
  await world.seal()
  await world.seal()
  const { body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification`)
  expect([body.seals.length, body.findings]).toEqual([2, []])
})
