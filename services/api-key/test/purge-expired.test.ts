import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { whileLocked } from '@payments/testing/database/held-lock'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('deletes expired rows of every tenant, and no other rows', async () => {
  for (const tenant of [await world.tenant(), await world.tenant()]) {
    const user = tenant.by()
    await user.create({ name: 'retained' }, randomUUID())
    await user.create({ name: 'expired' }, randomUUID())
    const { type, id } = user.actor
    const reveal = { tenant_id: tenant.id, actor: `${type}:${id}`, reveals_max: 5, window_seconds: 60 }
    for (let i = 0; i < 2; i += 1) await world.asService.send('post', '/internal/reveals', reveal).expect(200)
  }
  await world.rows(
    `UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE reply #>> '{value,name}' = 'expired' RETURNING key`,
  )
  await world.rows(
    `UPDATE reveal_attempts SET attempted_at = now() - interval '61 minutes'
      WHERE id IN (SELECT DISTINCT ON (tenant_id) id FROM reveal_attempts) RETURNING id`,
  )
  const [first] = await world.rows<{ epoch: string }>(
    `UPDATE authz_invalidations SET recorded_at = now() - interval '16 minutes' WHERE epoch = 1 RETURNING epoch::text`,
  )
  expect(first).toEqual({ epoch: '1' })
  await purgeExpired(world.deps)
  expect(await world.rows('SELECT min(epoch)::int AS epoch FROM authz_invalidations')).toEqual([{ epoch: 2 }])
  const retained = await world.rows(`SELECT reply #>> '{value,name}' AS name FROM idempotency_keys`)
  expect(retained).toEqual([{ name: 'retained' }, { name: 'retained' }])
  const attempts = await world.rows('SELECT count(*)::int AS n FROM reveal_attempts GROUP BY tenant_id')
  expect(attempts).toEqual([{ n: 1 }, { n: 1 }])
})

/** Each table with its key, and the values of a row that expired. The key is a parameter: the id of an API key. */
const expired = [
  ['reveal_attempts', 'id', `(id, tenant_id, actor, attempted_at) SELECT id, id, 'x', now() - interval '2 hours'`],
  ['failed_authentications', 'address', `(address, failures, ends_at) SELECT id::text, 1, now() - interval '1 s'`],
  [
    'previous_values',
    'key_id',
    `(key_id, tenant_id, rotation, value_encrypted, pepper_kid, index_hmac, ends_at)
     SELECT id, tenant_id, rotation, value_encrypted, pepper_kid, index_hmac, now() - interval '1 s'`,
  ],
  ['request_rates', 'subject', `(subject, full_at) SELECT id::text, now() - interval '1 s'`],
  ['gateway_replicas', 'id', `(id, expires_at) SELECT id, now() - interval '1 s'`],
] as const

test.each(expired)('skips a row of %s that another transaction holds', async (table, column, values) => {
  const user = (await world.tenant()).by()
  const ids: string[] = []
  for (const name of ['held', 'free']) ids.push((await user.create({ name })).body.id)
  await world.rows(`INSERT INTO ${table} ${values} FROM keys WHERE id = ANY ($1::uuid[]) RETURNING 1`, ids)
  const held = `SELECT 1 FROM ${table} WHERE ${column}::text = $1 FOR UPDATE`
  await whileLocked(world.database.ownerUrl, [held, ids[0]], () => purgeExpired(world.deps))
  const left = await world.rows(`SELECT ${column}::text AS id FROM ${table} WHERE ${column}::text = ANY ($1)`, ids)
  expect(left).toEqual([{ id: ids[0] }])
})
