import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { allows, statusAfter } from '../src/domain/code-state.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('row-level security hides rows of other tenants from a query without a tenant condition', async () => {
  const tenant = world.tenant()
  await tenant.create({}, { 'Idempotency-Key': randomUUID() })
  const counts = (tenantId: string) =>
    world.db.inTenant(tenantId, async (tx) => [
      await tx.code.count(),
      await tx.message.count(),
      await tx.dataKey.count(),
      await tx.businessUnitCopy.count(),
      await tx.idempotencyKey.count(),
    ])
  expect(await counts(randomUUID())).toEqual([0, 0, 0, 0, 0])
  expect(await counts(tenant.id)).toEqual([1, 1, 1, 1, 1])
})

test('the database rejects states that the state machine does not have', async () => {
  const tenant = world.tenant()
  const { id } = await tenant.create()
  const claimed = `payment_id = '${randomUUID()}', claimed_at = now(), recover_at = now()`
  for (const changes of [
    `status = 'processing'`,
    `status = 'canceled'`,
    `canceled_by = 'request'`,
    claimed,
    `status = 'canceled', canceled_by = 'mistake'`,
    'decline_count = 10',
    `status = 'processing', ${claimed}, decline_count = 10`,
    'resend_count = 11',
    'window_count = 6',
    `expires_at = created_at + interval '1681 hours'`,
    'reminder_at = expires_at',
    'code_hash = decode(repeat($$00$$, 31), $$hex$$)',
  ]) {
    await expect(world.rows(`UPDATE codes SET ${changes} WHERE id = $1::uuid`, id)).rejects.toThrow(/_check/)
  }
  expect(await world.stored(id)).toMatchObject({ status: 'active', version: 1 })
})

test('completed and canceled codes never change their status', () => {
  const transitions = ['release', 'expire', 'revive', 'cancelByRequest', 'cancelByTransaction', 'complete'] as const
  for (const transition of [...transitions, 'take', 'cancelByDeclines'] as const) {
    expect([allows('completed', transition), allows('canceled', transition)]).toEqual([false, false])
  }
  expect(transitions.map(statusAfter)).toEqual(['active', 'expired', 'active', 'canceled', 'canceled', 'completed'])
})
