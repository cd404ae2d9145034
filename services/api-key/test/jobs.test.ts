import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runJobs } from '@payments/testing/suites/run-jobs'
import { startJobs } from '../src/jobs.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('the process purges what has expired', async () => {
  await world.rows(
    `INSERT INTO idempotency_keys (tenant_id, key, fingerprint, expires_at)
     VALUES (gen_random_uuid(), 'old', '', now() - interval '1 s') RETURNING key`,
  )
  await runJobs(() => startJobs(world.deps))
  expect(await world.rows('SELECT key FROM idempotency_keys')).toEqual([])
})
