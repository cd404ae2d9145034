import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('the database rejects an invitation of a transaction that is not paid by invitation', async () => {
  const { id } = await world.captured()
  const invited = world.rows(`UPDATE transactions SET invitation = '{}' WHERE id = $1::uuid`, id)
  await expect(invited).rejects.toThrow(/transactions_invitation_check/)
})

test('the database rejects inconsistent amounts and a second open operation, and hides the rows of other tenants', async () => {
  const { tenant, id } = await world.captured()
  const change = (set: string) => world.rows(`UPDATE transactions SET ${set} WHERE id = $1::uuid`, id)
  await expect(change('amount_refunded = 10001')).rejects.toThrow(/transactions_amounts_check/)
  await expect(change('amount_voided = 1')).rejects.toThrow(/transactions_amounts_check/)
  await expect(change('amount_authorized = 10001')).rejects.toThrow(/transactions_amounts_check/)
  const copy = (number: number) =>
    world.rows(
      `INSERT INTO operations (id, tenant_id, transaction_id, number, type, state, amount, amount_released, stage,
         reason, items, provider_reference, error, attempt_count, due_at, trace_id, actor, created_at, completed_at)
       SELECT gen_random_uuid(), tenant_id, transaction_id, $2, type, 'in_progress', amount, amount_released,
        stage, reason, items, provider_reference, error, 1, now(), trace_id, actor, now(), NULL
       FROM operations WHERE transaction_id = $1::uuid AND number = 1`,
      id,
      number,
    )
  await copy(3)
  await expect(copy(4)).rejects.toThrow(/operations_one_open_key/)
  const seenBy = (tenantId: string) =>
    world.deps.db.inTenant(tenantId, (tx) => tx.$queryRawUnsafe<unknown[]>('SELECT 1 FROM operations'))
  expect(await seenBy(tenant.id)).toHaveLength(3)
  expect(await seenBy(world.tenant().id)).toEqual([])
})
