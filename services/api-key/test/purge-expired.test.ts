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

/** For rows with the instant at which they expire. */
const expiring = { expiredAge: '1 second', retainedAge: '-1 minute' }

purgeSuite(
  () => world,
  ({ deps }) => startJobs(deps),
  [
    {
      table: 'reveal_attempts',
      key: 'id',
      row: `(id, tenant_id, actor, attempted_at)
        VALUES ($1::text::uuid, gen_random_uuid(), 'x', now() - $2::text::interval)`,
      expiredAge: '61 minutes',
      retainedAge: '59 minutes',
    },
    {
      table: 'failed_authentications',
      key: 'address',
      row: `(address, failures, ends_at) VALUES ($1, 1, now() - $2::text::interval)`,
      ...expiring,
    },
    {
      table: 'previous_values',
      key: 'key_id',
      row: `(key_id, tenant_id, rotation, value_encrypted, pepper_kid, index_hmac, ends_at)
        SELECT id, tenant_id, rotation, value_encrypted, pepper_kid, index_hmac, now() - $2::text::interval
        FROM keys WHERE id = $1::text::uuid`,
      ...expiring,
      newKey: async () => (await (await world.tenant()).by().create()).body.id,
    },
    {
      table: 'request_rates',
      key: 'subject',
      row: '(subject, full_at) VALUES ($1, now() - $2::text::interval)',
      ...expiring,
    },
    {
      table: 'gateway_replicas',
      key: 'id',
      row: '(id, expires_at) VALUES ($1::text::uuid, now() - $2::text::interval)',
      ...expiring,
    },
  ],
)

test('deletes authorization changes older than 15 minutes, and no others', async () => {
  await (await world.tenant()).by().create()
  const [aged] = await world.rows(
    `UPDATE authz_invalidations SET recorded_at = now() - interval '16 minutes' WHERE epoch = 1 RETURNING epoch::text`,
  )
  expect(aged).toEqual({ epoch: '1' })
  await purgeExpired(world.deps)
  expect(await world.rows('SELECT min(epoch)::int AS epoch FROM authz_invalidations')).toEqual([{ epoch: 2 }])
})
