import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('deletes expired Idempotency-Keys, and no other rows', async () => {
  const tenant = world.tenant()
  for (const key of ['old', 'young']) await tenant.create({}, { 'Idempotency-Key': key })
  await world.rows(`UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE key = 'old'`)
  await purgeExpired(world.deps)
  expect(await world.rows('SELECT key FROM idempotency_keys')).toEqual([{ key: 'young' }])
  expect(await world.rows('SELECT 1 FROM codes')).toHaveLength(2)
})
