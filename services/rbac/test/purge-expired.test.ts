import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('deletes expired Idempotency-Keys and old authorization changes, and no other rows', async () => {
  const tenant = await world.tenant()
  const keys = ['old', 'young']
  for (const key of keys) await tenant.by().create({}, key)
  const { epoch } = await world.epoch()
  await world.rows(`UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE key = 'old' RETURNING key`)
  await world.rows(
    `UPDATE authz_invalidations SET recorded_at = now() - interval '16 min' WHERE epoch < $1::int RETURNING id::text`,
    epoch,
  )
  await purgeExpired(world.deps)
  expect(await world.rows('SELECT key FROM idempotency_keys')).toEqual([{ key: 'young' }])
  expect((await world.epoch(epoch - 1)).invalidated).toHaveLength(2)
  expect((await world.epoch(epoch - 2)).invalidated).toBeNull()
  expect((await tenant.by().list()).body.data).toHaveLength(4)
})
