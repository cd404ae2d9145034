import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { cancelOrphanedCodes } from '../src/verbs/cancel-orphaned-codes.ts'
import { codesPath, payPagePath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('cancels the active codes of a deleted business unit, each with one event, for three runs at once', async () => {
  const [deleted, other] = [world.tenant(), world.tenant()]
  const [code, expired, active] = [await deleted.create(), await deleted.create(), await other.create()]
  await world.copyCode(code.id, 119)
  await world.rows(`UPDATE codes SET status = 'expired' WHERE id = $1::uuid`, expired.id)
  await cancelOrphanedCodes(world.deps)
  expect((await deleted.read(code.id)).status).toBe('active')
  await world.deleteUnit(deleted.unitId)
  await Promise.all(Array.from({ length: 3 }, () => cancelOrphanedCodes(world.deps)))
  await cancelOrphanedCodes(world.deps)
  expect(await deleted.read(code.id)).toMatchObject({ status: 'canceled', canceled_by: 'request' })
  expect((await deleted.read(expired.id)).status).toBe('expired')
  expect((await other.read(active.id)).status).toBe('active')
  const cancelations = (await deleted.events()).filter(({ type }) => type === 'invite-to-pay.codes.cancel')
  expect(cancelations).toHaveLength(120)
  expect(new Set(cancelations.map(({ payload }) => payload.code.id)).size).toBe(120)
})

test('cancels the active codes of a deleted payment orchestrator, and no code of another one', async () => {
  const [tenant, other] = [world.tenant(), world.tenant()]
  const [code, expired, active] = [await tenant.create(), await tenant.create(), await other.create()]
  const ofAnother = await tenant.create()
  await world.rows(
    'UPDATE codes SET payment_orchestrator_id = gen_random_uuid() WHERE id = $1::uuid RETURNING 1',
    ofAnother.id,
  )
  await world.rows(`UPDATE codes SET status = 'expired' WHERE id = $1::uuid`, expired.id)
  await world.setOrchestratorStatus(tenant.unitId, 'inactive')
  await cancelOrphanedCodes(world.deps)
  expect((await tenant.read(code.id)).status).toBe('active')
  await world.setOrchestratorStatus(tenant.unitId, 'deleted')
  await Promise.all(Array.from({ length: 3 }, () => cancelOrphanedCodes(world.deps)))
  expect(await tenant.read(code.id)).toMatchObject({ status: 'canceled', canceled_by: 'request' })
  const listed = await tenant.get(`${codesPath}?status=active`).expect(200)
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([ofAnother.id])
  expect((await tenant.read(expired.id)).status).toBe('expired')
  expect((await other.read(active.id)).status).toBe('active')
  const cancelations = (await tenant.events()).filter(({ type }) => type === 'invite-to-pay.codes.cancel')
  expect(cancelations.map(({ payload }) => payload.code.id)).toEqual([code.id])
})

test.each([
  ['business unit', (tenant: TestTenant) => world.deleteUnit(tenant.unitId)],
  ['payment orchestrator', (tenant: TestTenant) => world.setOrchestratorStatus(tenant.unitId, 'deleted')],
])('page and API agree about a code of a deleted %s: nothing changes, sends or pays it', async (_, remove) => {
  const tenant = world.tenant()
  const [code, expired] = [await tenant.create(), await tenant.create()]
  await world.age(code.id, 60)
  await world.age(expired.id, 25 * 3600)
  const nonce = await world.nonce(code)
  await remove(tenant)
  const resend = ({ transaction_id: id }: { transaction_id: string }) =>
    world.asService().post(`/internal/tenants/${tenant.id}/transactions/${id}/resend`, { resend_id: randomUUID() })
  const check = async () => {
    for (const reply of [
      await resend(code),
      await resend(expired),
      await tenant.patch(`${codesPath}/${code.id}`, { return_url: null }),
    ]) {
      expect(outcome(reply)).toEqual([409, 'code_not_active'])
    }
    const form = { nonce, cc_token: 'tok_visa', payment_method: 'CREDIT_CARD' }
    for (const { status, text } of [
      await world.payer.get(payPagePath(code)),
      await world.payer.form(payPagePath(code), form),
    ]) {
      expect([status, text.includes('This link was canceled')]).toEqual([410, true])
    }
  }
  await check()
  await cancelOrphanedCodes(world.deps)
  await check()
  expect(world.payments.ledger.get(code.transaction_id)?.transaction.operations).toEqual([])
})
