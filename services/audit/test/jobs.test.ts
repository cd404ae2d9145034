import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runJobs } from '@payments/testing/suites/run-jobs'
import { startJobs } from '../src/jobs.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('the process seals chains, and creates the partitions of the next days', async () => {
  const tenantId = randomUUID()
  await world.store([createRecord(tenantId)])
  await runJobs(() => startJobs(world.deps, { AUDIT_SEAL_INTERVAL_MS: 1_000, AUDIT_CHECKPOINT_INTERVAL_MS: 1_000 }))
  expect((await world.readCheckpoint(tenantId)).tenant_id).toBe(tenantId)
  const { rowCount } = await world.owner.query(`SELECT FROM pg_inherits WHERE inhparent = 'audit_records'::regclass`)
  expect(rowCount).toBe(8)
})

test('a run reports how many chains it sealed', async () => {
  await world.store([createRecord(randomUUID()), createRecord(randomUUID())])
  expect([await world.seal(), await world.seal()]).toEqual([2, 0])
})
