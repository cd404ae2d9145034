import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { holdLock } from '@payments/testing/database/held-lock'
import { buildOperation } from './ledger.ts'
import { codesPath, payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.payments.faults.beforePayment = async () => {}
  world.payments.faults.afterPayment = async () => {}
})

const payment_method = 'CREDIT_CARD'
const listPayments = (transactionId: string) =>
  (world.payments.ledger.get(transactionId)?.transaction.operations ?? []).filter(({ type }) => type === 'authorize')

test('pays an active code once, redirects to the page, and completes the code', async () => {
  const tenant = world.tenant()
  const code = await tenant.create({ capture: true })
  const paid = await world.pay(code)
  expect([paid.status, paid.headers['location']]).toEqual([303, payPagePath(code)])
  expect(await tenant.read(code.id)).toMatchObject({ status: 'completed', last_error: null, version: 3 })
  expect((await tenant.events()).map(({ type, payload }) => [type, payload.code.status])).toEqual([
    ['invite-to-pay.codes.create', 'active'],
    ['invite-to-pay.codes.update', 'processing'],
    ['invite-to-pay.codes.update', 'completed'],
  ])
  expect(listPayments(code.transaction_id)).toHaveLength(1)
  expect((await world.payer.get(payPagePath(code))).status).toBe(200)
  expect((await world.pay(code)).status).toBe(303)
  expect(listPayments(code.transaction_id)).toHaveLength(1)
})

test('50 payers at once on one link start one payment', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const nonce = await world.nonce(code)
  const before = world.payments.payments.length
  const pay = () => world.payer.form(payPagePath(code), { nonce, cc_token: 'tok_visa', payment_method })
  const replies = await Promise.all(Array.from({ length: 50 }, pay))
  await world.deps.inProgress.settled()
  expect(world.payments.payments.length - before).toBe(1)
  // 503: beyond the payments of the tenant in progress.
  const others = replies.map(({ status }) => status).filter((status) => ![303, 409, 503].includes(status))
  expect(others).toEqual([])
  expect((await tenant.read(code.id)).status).toBe('completed')
})

test.each([
  ['is suspended', (id: string, isSo: boolean) => world.rbac.suspended[isSo ? 'add' : 'delete'](id)],
  ['cannot be read', (_: string, isSo: boolean) => Object.assign(world.rbac.state, { isDown: isSo })],
])('while its tenant %s, a code takes no payment, also from a page that was opened before', async (_, set) => {
  const tenant = world.tenant()
  const [code, paid] = [await tenant.create(), await tenant.create()]
  await world.pay(paid)
  const before = await world.stored(code.id)
  const nonce = await world.nonce(code)
  const pay = () => world.payer.form(payPagePath(code), { nonce, cc_token: 'tok_visa', payment_method })
  set(tenant.id, true)
  const shown = await world.payer.get(payPagePath(code))
  expect([shown.status, shown.text.includes('<form')]).toEqual([503, false])
  const rejected = await pay()
  expect([rejected.status, rejected.text]).toEqual([503, shown.text])
  expect((await world.payer.get(payPagePath(paid))).status).toBe(200)
  set(tenant.id, false)
  expect(await world.stored(code.id)).toEqual(before)
  expect(listPayments(code.transaction_id)).toEqual([])
  expect((await pay()).status).toBe(303)
  await world.deps.inProgress.settled()
  expect((await tenant.read(code.id)).status).toBe('completed')
})

test('a declined payment makes the code payable again, and the page says so', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  expect((await world.pay(code, 'tok_declined')).status).toBe(303)
  expect(await tenant.read(code.id)).toMatchObject({
    status: 'active',
    last_error: { code: 'insufficient_funds' },
  })
  expect((await world.stored(code.id)).decline_count).toBe(1)
  expect((await world.pay(code)).status).toBe(303)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'completed', last_error: null })
})

test('the tenth declined payment cancels the code', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  await world.rows('UPDATE codes SET decline_count = 9 WHERE id = $1::uuid', code.id)
  expect((await world.pay(code, 'tok_declined')).status).toBe(303)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'canceled', canceled_by: 'declines' })
  expect((await tenant.events()).at(-1)?.type).toBe('invite-to-pay.codes.cancel')
  expect((await world.payer.get(payPagePath(code))).status).toBe(410)
})

test('a transaction that takes no more payments cancels the code', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const declined = () => buildOperation({ id: randomUUID(), state: 'declined' })
  Object.assign(world.payments.ledger.get(code.transaction_id)?.transaction ?? {}, {
    status: 'failed',
    operations: Array.from({ length: 11 }, declined),
  })
  expect((await world.pay(code)).status).toBe(303)
  expect(await tenant.read(code.id)).toMatchObject({
    status: 'canceled',
    canceled_by: 'declines',
    last_error: { code: 'invalid_transaction_state' },
  })
  expect((await world.payer.get(payPagePath(code))).status).toBe(410)
})

test('an unknown token charges nothing and makes the code payable again', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  expect((await world.pay(code, 'tok_unknown_token')).status).toBe(303)
  expect(await world.stored(code.id)).toMatchObject({
    status: 'active',
    decline_count: 0,
    last_error: { kind: 'unknown_token', detail: 'Unknown payment token' },
  })
})

test('while the merchant takes a payment itself, the page says that one is in progress, until it has ended', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const transaction = world.payments.ledger.get(code.transaction_id)?.transaction
  if (transaction === undefined) throw new Error('no transaction')
  const other = buildOperation({ id: newId(), state: 'pending' })
  const pending_operation = { id: other.id, type: 'authorize', state: 'pending', action: null } as const
  await world.event(tenant.id, transaction, other, { pending_operation })
  world.payments.faults.beforePayment = () => Promise.reject(new Problem(problems.operation_in_progress))
  expect((await world.pay(code)).status).toBe(303)
  expect((await tenant.read(code.id)).last_error?.code).toBe('operation_in_progress')
  const inProgress = 'Another payment with this link is in progress.'
  const { status, text } = await world.payer.get(payPagePath(code))
  expect([status, text.includes(inProgress), text.includes('You have not been charged')]).toEqual([200, true, false])
  expect(text).toContain('Please wait')
  await world.event(tenant.id, transaction, null)
  expect((await world.payer.get(payPagePath(code))).text).toContain(inProgress)
  Object.assign(other, buildOperation({ id: other.id, state: 'declined' }))
  await world.event(tenant.id, transaction, other, { pending_operation: null, status: 'failed' })
  expect(await tenant.read(code.id)).toMatchObject({ status: 'active', last_error: null })
  expect((await world.payer.get(payPagePath(code))).text).not.toContain(inProgress)
  world.payments.faults.beforePayment = async () => {}
  await world.pay(code)
  expect((await tenant.read(code.id)).status).toBe('completed')
})

test('a nonce pays once: a used one, and one from before a change, get a page with a new form', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const nonce = await world.nonce(code)
  const post = () => world.payer.form(payPagePath(code), { nonce, cc_token: 'tok_declined', payment_method })
  expect((await post()).status).toBe(303)
  await world.deps.inProgress.settled()
  expect((await post()).status).toBe(409)
  const other = await tenant.create()
  const earlier = await world.nonce(other)
  await tenant.patch(`${codesPath}/${other.id}`, { return_url: 'https://shop.example.com/' }).expect(200)
  expect(
    (await world.payer.form(payPagePath(other), { nonce: earlier, cc_token: 'tok_visa', payment_method })).status,
  ).toBe(409)
  expect(listPayments(other.transaction_id)).toEqual([])
  expect(listPayments(code.transaction_id)).toHaveLength(1)
})

test('rejects forms that cannot be read and forms of other sites, and pays nothing', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const nonce = await world.nonce(code)
  const fields = { nonce, cc_token: 'tok_visa', payment_method }
  const statuses = [
    (await world.payer.form(payPagePath(code), { nonce })).status,
    (await world.payer.form(payPagePath(code), fields, { 'Content-Type': 'text/plain' })).status,
    (await world.payer.form(payPagePath(code), fields, { 'Sec-Fetch-Site': 'cross-site' })).status,
    (await world.payer.form(payPagePath(code), fields, { Origin: 'https://evil.example.com' })).status,
  ]
  expect(statuses).toEqual([400, 400, 400, 400])
  expect(await world.stored(code.id)).toMatchObject({ status: 'active', version: 1 })
})

test('limits the payments of a code to five in a minute', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const statuses: number[] = []
  for (let i = 0; i < 6; i += 1) statuses.push((await world.pay(code, 'tok_unknown_token')).status)
  expect(statuses).toEqual([303, 303, 303, 303, 303, 429])
  await world.age(code.id, 61)
  expect((await world.pay(code)).status).toBe(303)
  expect((await tenant.read(code.id)).status).toBe('completed')
})

test('a code that expires before its claim is not paid, by the clock of the database', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const nonce = await world.nonce(code)
  // Ends in the past, and is not visible before the claim waits for the row.
  const sql = "UPDATE codes SET expires_at = clock_timestamp() - interval '1 millisecond' WHERE id = $1::uuid"
  const held = await holdLock(world.database.ownerUrl, sql, code.id)
  const paying = world.payer
    .form(payPagePath(code), { nonce, cc_token: 'tok_visa', payment_method })
    .then((reply) => reply)
  await held.untilWaiting(1)
  await held.release()
  expect((await paying).status).toBe(410)
  expect(listPayments(code.transaction_id)).toEqual([])
})

test('a code that expires during its payment is completed; a decline then expires it', async () => {
  const tenant = world.tenant()
  const [paid, declined] = [await tenant.create(), await tenant.create()]
  for (const [code, token] of [
    [paid, 'tok_visa'],
    [declined, 'tok_declined'],
  ] as const) {
    world.payments.faults.beforePayment = async () => {
      await world.rows(
        "UPDATE codes SET expires_at = clock_timestamp() - interval '1 second' WHERE id = $1::uuid",
        code.id,
      )
    }
    expect((await world.pay(code, token)).status).toBe(303)
  }
  expect((await tenant.read(paid.id)).status).toBe('completed')
  expect((await tenant.read(declined.id)).status).toBe('expired')
})

test('of a payment and a cancelation at once, one wins and the other is rejected', async () => {
  for (let i = 0; i < 5; i += 1) {
    const tenant = world.tenant()
    const code = await tenant.create()
    const nonce = await world.nonce(code)
    const [paid, canceled] = await Promise.all([
      world.payer.form(payPagePath(code), { nonce, cc_token: 'tok_visa', payment_method }),
      tenant.post(`${codesPath}/${code.id}/cancel`),
    ])
    await world.deps.inProgress.settled()
    const { status } = await tenant.read(code.id)
    const isPaid = listPayments(code.transaction_id).length === 1
    expect([status, paid.status, canceled.status]).toEqual(isPaid ? ['completed', 303, 409] : ['canceled', 410, 200])
  }
})

test('a lost response leaves the code processing, and the page says so', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  world.payments.faults.afterPayment = async () => {
    throw new Error('lost')
  }
  expect((await world.pay(code)).status).toBe(303)
  expect((await tenant.read(code.id)).status).toBe('processing')
  expect((await world.payer.get(payPagePath(code))).status).toBe(200)
  expect((await world.pay(code)).status).toBe(409)
  expect(listPayments(code.transaction_id)).toHaveLength(1)
})

test('a transaction that was paid otherwise completes the code', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  Object.assign(world.payments.ledger.get(code.transaction_id)?.transaction ?? {}, {
    status: 'captured',
    amount_authorized: code.amount,
  })
  expect((await world.pay(code)).status).toBe(303)
  expect((await tenant.read(code.id)).status).toBe('completed')
})
