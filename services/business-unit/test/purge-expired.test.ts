import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { draftUnit, startWorld, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('deletes expired Idempotency-Keys, and no other rows', async () => {
  const { tenant } = await world.unit()
  for (const key of ['old', 'young']) await tenant.post(units, draftUnit(), { 'Idempotency-Key': key })
  await world.rows(`UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE key = 'old' RETURNING key`)
  await purgeExpired(world.deps)
  expect(await world.rows('SELECT key FROM idempotency_keys')).toEqual([{ key: 'young' }])
  expect((await tenant.get(units)).body.data).toHaveLength(3)
})
