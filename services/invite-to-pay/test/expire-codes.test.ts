import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { expireCodes } from '../src/verbs/expire-codes.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('one run expires 100 codes, each with one event, for three runs at once', async () => {
  const tenant = world.tenant()
  const codes = []
  for (let i = 0; i < 10; i += 1) {
    codes.push(...(await Promise.all(Array.from({ length: 10 }, () => tenant.create()))))
  }
  const running = await tenant.create()
  const day = `- interval '24 hours'`
  await world.rows(
    `UPDATE codes SET created_at = created_at ${day}, expires_at = expires_at ${day}
     WHERE tenant_id = $1::uuid AND id <> $2::uuid`,
    tenant.id,
    running.id,
  )
  await Promise.all(Array.from({ length: 3 }, () => expireCodes(world.deps)))
  const counts = await world.rows(
    'SELECT status::text, count(*)::int FROM codes WHERE tenant_id = $1::uuid GROUP BY status ORDER BY 1',
    tenant.id,
  )
  expect(counts).toEqual([
    { status: 'active', count: 1 },
    { status: 'expired', count: 100 },
  ])
  const updates = (await tenant.events()).filter(({ type }) => type === 'invite-to-pay.codes.update')
  expect(new Set(updates.map(({ payload }) => payload.code.id)).size).toBe(100)
  expect(updates).toHaveLength(100)
})
