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

const ageBy = (days: number) => world.moveToDay(days, 'true')

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

test('ten at once make the partitions once', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, async () => (await retainRecords(world.deps)).made))
  expect(made.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1)
  const { rows } = await world.owner.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_records'::regclass`,
  )
  for (const { name } of rows) await world.owner.query(`DROP TABLE ${name}`)
  const again = await Promise.all(Array.from({ length: 10 }, async () => (await retainRecords(world.deps)).made))
  expect(again.filter((count) => count > 0)).toEqual([8])
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
