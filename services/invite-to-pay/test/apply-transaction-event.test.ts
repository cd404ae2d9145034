import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { completionsMax } from '@payments/contracts/services/payment-proxy/problems'
import fc from 'fast-check'
import { applyTransactionEvent } from '../src/verbs/apply-transaction-event.ts'
import { buildOperation } from './ledger.ts'
import { buildEvent, codesPath, payPagePath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const invitation = {
  communication_type: 'EMAIL' as const,
  recipient: 'payer@example.com',
  template_id: null,
  communication_details: { description: 'Order 7' },
  expires_at: null,
  reminder_at: null,
  return_url: null,
  locale: null,
}
const invited = (tenant: TestTenant, fields: Partial<Transaction> = {}) =>
  tenant.transaction({ i2p: true, invitation, ...fields })
const listCodes = async (tenant: TestTenant) => (await tenant.get(codesPath).expect(200)).body.data

test('creates the code of an invited transaction once, for ten deliveries at once', async () => {
  const tenant = world.tenant()
  const transaction = invited(tenant, { external_reference: 'order-7' })
  await Promise.all(Array.from({ length: 10 }, () => world.event(tenant.id, transaction, null)))
  const codes = await listCodes(tenant)
  expect(codes).toHaveLength(1)
  expect(codes[0]).toMatchObject({ status: 'active', amount: 3998, communication_details: { description: 'Order 7' } })
  expect((await tenant.events()).map(({ type }) => type)).toEqual(['invite-to-pay.codes.create'])
  expect(await world.rows('SELECT kind FROM messages WHERE tenant_id = $1::uuid', tenant.id)).toEqual([
    { kind: 'invitation' },
  ])
})

test('a reminder that is over when a late event creates the code is dropped, and a later one is stored', async () => {
  const [over, ahead] = [world.tenant(), world.tenant()]
  const [past, future] = [-1_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString())
  const withReminder = (reminder_at: string | undefined) => ({ invitation: { ...invitation, reminder_at } }) as object
  await world.event(over.id, invited(over, withReminder(past)), null)
  await world.event(ahead.id, invited(ahead, withReminder(future)), null)
  expect((await listCodes(over))[0]).toMatchObject({ status: 'active', reminder_at: null })
  expect((await listCodes(ahead))[0]).toMatchObject({ status: 'active', reminder_at: future })
})

test('ignores transactions without an invitation', async () => {
  const tenant = world.tenant()
  await world.event(tenant.id, tenant.transaction(), null)
  await world.event(tenant.id, tenant.transaction({ i2p: true }), null)
  expect(await listCodes(tenant)).toEqual([])
})

test('an authorization by any way completes the code, and decides one receipt', async () => {
  const tenant = world.tenant()
  const transaction = invited(tenant)
  await world.event(tenant.id, transaction, null)
  const paid = { status: 'authorized', amount_authorized: 3998 } as const
  const operation = buildOperation({ id: newId(), state: 'succeeded' })
  await world.event(tenant.id, transaction, operation, paid)
  await world.event(tenant.id, transaction, operation, paid)
  expect((await listCodes(tenant))[0].status).toBe('completed')
  const receipts = await world.rows(`SELECT 1 FROM messages WHERE tenant_id = $1::uuid AND kind = 'receipt'`, tenant.id)
  expect(receipts).toHaveLength(1)
})

test('a forged event completes nothing, cancels nothing and creates no code', async () => {
  const tenant = world.tenant()
  const transaction = invited(tenant)
  await world.event(tenant.id, transaction, null)
  const lies = [
    { status: 'captured', amount_authorized: 3998, amount_captured: 0 },
    { status: 'voided' },
    { status: 'failed' },
  ] as const
  for (const lie of lies) {
    const operation = buildOperation({ id: newId(), state: 'succeeded' })
    await applyTransactionEvent(world.deps, buildEvent(tenant.id, { ...transaction, ...lie }, operation))
  }
  expect((await listCodes(tenant))[0]).toMatchObject({ status: 'active', version: 1 })
  const uninvited = tenant.transaction()
  await applyTransactionEvent(world.deps, buildEvent(tenant.id, { ...uninvited, i2p: true, invitation }, null))
  const unknown = buildEvent(tenant.id, { ...transaction, id: newId() }, null)
  await expect(applyTransactionEvent(world.deps, unknown)).rejects.toMatchObject({ code: 'transaction_not_found' })
  const other = world.tenant()
  await expect(applyTransactionEvent(world.deps, buildEvent(other.id, transaction, null))).rejects.toMatchObject({
    code: 'transaction_not_found',
  })
  expect(await listCodes(tenant)).toHaveLength(1)
  expect(await listCodes(other)).toEqual([])
})

test('an event waits for payment-proxy, by a problem that is retried', async () => {
  const tenant = world.tenant()
  const transaction = invited(tenant)
  world.payments.faults.beforeRead = async () => {
    throw new Error('down')
  }
  const applied = world.event(tenant.id, transaction, null)
  await expect(applied).rejects.toMatchObject({ code: 'service_unavailable' })
  world.payments.faults.beforeRead = async () => {}
  await world.event(tenant.id, transaction, null)
  expect(await listCodes(tenant)).toHaveLength(1)
})

test('a paid code whose capture failed says so, until a later capture succeeds', async () => {
  const tenant = world.tenant()
  const transaction = invited(tenant, { capture: true })
  await world.event(tenant.id, transaction, null)
  const authorized = buildOperation({ id: newId(), state: 'succeeded' })
  await world.event(tenant.id, transaction, authorized, { status: 'authorized', amount_authorized: 3998 })
  const shown = async () => {
    const [{ status, last_error }] = await listCodes(tenant)
    return [status, last_error?.code ?? null]
  }
  expect(await shown()).toEqual(['completed', null])
  await world.event(tenant.id, transaction, buildOperation({ id: newId(), type: 'capture', state: 'declined' }))
  expect(await shown()).toEqual(['completed', 'not_captured'])
  const captured = buildOperation({ id: newId(), type: 'capture', state: 'succeeded' })
  await world.event(tenant.id, transaction, captured, { status: 'captured', amount_captured: 3998 })
  expect(await shown()).toEqual(['completed', null])
})

test('a void before the authorization cancels the code; one after it leaves the code completed', async () => {
  const [voided, released] = [world.tenant(), world.tenant()]
  const unpaid = invited(voided)
  await world.event(voided.id, unpaid, null)
  await world.event(voided.id, unpaid, null, { status: 'voided' })
  expect((await listCodes(voided))[0]).toMatchObject({ status: 'canceled', canceled_by: 'transaction' })
  const paid = invited(released)
  await world.event(released.id, paid, null)
  await world.event(released.id, paid, null, { status: 'voided', amount_authorized: 3998, amount_voided: 3998 })
  expect((await listCodes(released))[0].status).toBe('completed')
})

test('events in any order and number have one result', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('create', 'failed', 'authorize', 'void'), { maxLength: 6 }),
      async (order) => {
        const tenant = world.tenant()
        const transaction = invited(tenant)
        const send: Record<string, () => Promise<void>> = {
          create: () => world.event(tenant.id, transaction, null),
          failed: () => {
            const declined = buildOperation({ id: newId(), state: 'declined' })
            return world.event(tenant.id, transaction, declined, { status: 'failed' })
          },
          authorize: () => world.event(tenant.id, transaction, null, { status: 'authorized', amount_authorized: 3998 }),
          void: () => world.event(tenant.id, transaction, null, { status: 'voided', amount_authorized: 3998 }),
        }
        for (const name of [...order, 'create', 'failed', 'authorize', 'void']) await send[name]?.()
        expect((await listCodes(tenant)).map(({ status }: { status: string }) => status)).toEqual(['completed'])
        const types = (await tenant.events()).map(({ type }) => type)
        expect(types).toEqual(['invite-to-pay.codes.create', 'invite-to-pay.codes.update'])
      },
    ),
    { numRuns: 10 },
  )
})

test('records the outcome of a payment in progress, and nothing of another payment', async () => {
  const { tenant, transaction, stored } = await payInProgress()
  const { payment_id: paymentId } = await stored()
  const failed = { status: 'failed' } as const
  await world.event(tenant.id, transaction, buildOperation({ id: newId(), state: 'declined' }), failed)
  expect((await stored()).status).toBe('processing')
  const ours = buildOperation({ id: paymentId ?? '', state: 'declined' })
  await world.event(tenant.id, transaction, ours, failed)
  await world.event(tenant.id, transaction, ours, failed)
  expect(await stored()).toMatchObject({ status: 'active', decline_count: 1 })
})

test('a payment that the merchant voids before it settled the code cancels the code', async () => {
  const { tenant, transaction, stored } = await payInProgress()
  const voided = { status: 'voided', amount_authorized: 3998, amount_voided: 3998 } as const
  await world.event(tenant.id, transaction, null, voided)
  expect(await stored()).toMatchObject({ status: 'canceled', canceled_by: 'transaction' })
})

test('the last decline that the transaction takes cancels its code, also an expired one: page and API agree', async () => {
  const [active, expired] = [world.tenant(), world.tenant()]
  for (const tenant of [active, expired]) {
    const code = await tenant.create()
    if (tenant === expired) await world.rows(`UPDATE codes SET status = 'expired' WHERE id = $1::uuid`, code.id)
    const transaction = world.payments.ledger.get(code.transaction_id)?.transaction
    if (transaction === undefined) throw new Error('no transaction')
    const decline = () =>
      world.event(tenant.id, transaction, buildOperation({ id: newId(), state: 'declined' }), { status: 'failed' })
    for (let count = 1; count <= completionsMax; count += 1) await decline()
    expect((await tenant.read(code.id)).status).toBe(tenant === active ? 'active' : 'expired')
    await decline()
    await decline()
    expect(await tenant.read(code.id)).toMatchObject({
      status: 'canceled',
      canceled_by: 'declines',
      last_error: { code: 'invalid_transaction_state' },
    })
    expect((await tenant.events()).filter(({ type }) => type === 'invite-to-pay.codes.cancel')).toHaveLength(1)
    const { status, text } = await world.payer.get(payPagePath(code))
    expect([status, text.includes('This link was canceled')]).toEqual([410, true])
  }
})

test('a declined payment is the last one after those of the merchant', async () => {
  const { tenant, transaction, stored } = await payInProgress()
  const { payment_id: paymentId } = await stored()
  for (let count = 1; count <= completionsMax; count += 1) {
    transaction.operations.push(buildOperation({ id: newId(), state: 'declined' }))
  }
  const ours = buildOperation({ id: paymentId ?? '', state: 'declined' })
  await world.event(tenant.id, transaction, ours, { status: 'failed' })
  expect(await stored()).toMatchObject({
    status: 'canceled',
    canceled_by: 'declines',
    last_error: { code: 'insufficient_funds' },
  })
})

/** A code whose payment has no outcome yet. */
async function payInProgress() {
  const tenant = world.tenant()
  const code = await tenant.create()
  const transaction = world.payments.ledger.get(code.transaction_id)?.transaction
  if (transaction === undefined) throw new Error('no transaction')
  world.payments.faults.beforePayment = async () => {
    throw new Error('lost')
  }
  await world.pay(code)
  world.payments.faults.beforePayment = async () => {}
  return { tenant, transaction, stored: () => world.stored(code.id) }
}

test('rejects another payload for good', async () => {
  const event = {
    id: randomUUID(),
    type: 'payment-proxy.transactions.create',
    tenant_id: randomUUID(),
    business_unit_id: null,
    trace_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    payload: {},
  }
  await expect(applyTransactionEvent(world.deps, event)).rejects.toBeInstanceOf(Problem)
})
