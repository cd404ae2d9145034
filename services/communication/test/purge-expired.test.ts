import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, until, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  world.startLoop()
})
afterAll(() => world.stop())

test('deletes expired Idempotency-Keys and messages of the outbox older than a week, and no other rows', async () => {
  const tenant = world.tenant()
  for (const key of ['old', 'young']) await tenant.send({}, { 'Idempotency-Key': key })
  await until(async () => (await tenant.outbox()).length === 2)
  const [young, old] = await tenant.outbox()
  await world.rows(`UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE key = 'old' RETURNING key`)
  await world.rows(
    `UPDATE outbox_messages SET created_at = now() - interval '8 days' WHERE id = $1::uuid RETURNING 1`,
    old.id,
  )
  await purgeExpired(world.deps)
  expect(await world.rows('SELECT key FROM idempotency_keys')).toEqual([{ key: 'young' }])
  expect(await tenant.outbox()).toEqual([young])
  expect((await tenant.get('/v1/communication/communications')).body.data).toHaveLength(2)
})
