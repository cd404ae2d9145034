import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeSuite } from '@payments/testing/suites/purge'
import { startJobs } from '../src/jobs.ts'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

purgeSuite(
  () => world,
  ({ deps }) => startJobs(deps),
)

test('deletes old authorization changes, and no other rows', async () => {
  const tenant = await world.tenant()
  for (let roles = 0; roles < 2; roles += 1) await tenant.by().create()
  const { epoch } = await world.epoch()
  await world.rows(
    `UPDATE authz_invalidations SET recorded_at = now() - interval '16 min' WHERE epoch < $1::int RETURNING id::text`,
    epoch,
  )
  await purgeExpired(world.deps)
  expect((await world.epoch(epoch - 1)).invalidated).toHaveLength(2)
  expect((await world.epoch(epoch - 2)).invalidated).toBeNull()
  expect((await tenant.by().list()).body.data).toHaveLength(4)
})
