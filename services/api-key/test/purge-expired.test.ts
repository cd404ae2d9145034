import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
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
