import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import type { Operation } from '@payments/contracts/nouns/transaction'
import { hashCode } from '../src/domain/code-value.ts'
import { takeForPayment } from '../src/store/due-codes.ts'
import { recoverPayments } from '../src/verbs/recover-payments.ts'
import { buildOperation } from './ledger.ts'
import { payPagePath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** A code as a process leaves it that ends between claim and record, 31 s later. */
async function startPayment(tenant: TestTenant, state: Operation['state'] | null) {
  const code = await tenant.create()
  const paymentId = newId()
  const codeHash = hashCode(payPagePath(code).slice('/pay/'.length))
  await world.db.acrossTenants((tx) =>
    takeForPayment(tx, { codeHash, version: 1, paymentId, payerLocale: 'en', payerTimeZone: null }),
  )
  const transaction = world.payments.ledger.get(code.transaction_id)?.transaction
  if (transaction === undefined) throw new Error('no transaction')
  if (state !== null) transaction.operations.push(buildOperation({ id: paymentId, state }))
  if (state === 'succeeded') Object.assign(transaction, { status: 'authorized', amount_authorized: code.amount })
  return code
}

const statusAfterRecovery = async (tenant: TestTenant, state: Operation['state'] | null) => {
  const code = await startPayment(tenant, state)
  await world.age(code.id, 31)
  await recoverPayments(world.deps)
  return (await tenant.read(code.id)).status
}

test('records the outcome of a payment whose process ended before it did', async () => {
  const tenant = world.tenant()
  expect(await statusAfterRecovery(tenant, 'succeeded')).toBe('completed')
  expect(await statusAfterRecovery(tenant, 'declined')).toBe('active')
  expect(await statusAfterRecovery(tenant, 'not_attempted')).toBe('active')
})

test('releases a code whose payment never began, and keeps one whose payment is open', async () => {
  const tenant = world.tenant()
  expect(await statusAfterRecovery(tenant, null)).toBe('active')
  for (const state of ['in_progress', 'pending', 'unknown', 'needs_review'] as const) {
    expect(await statusAfterRecovery(tenant, state)).toBe('processing')
  }
})

test('reads nothing before 30 s have passed, and an open payment again later', async () => {
  const tenant = world.tenant()
  const code = await startPayment(tenant, 'pending')
  await world.age(code.id, 25)
  const before = await world.stored(code.id)
  await recoverPayments(world.deps)
  expect(await world.stored(code.id)).toEqual(before)
  await world.age(code.id, 6)
  await recoverPayments(world.deps)
  const [row] = await world.rows<{ wait: number; count: number }>(
    `SELECT extract(epoch FROM recover_at - clock_timestamp())::float AS wait, recover_count AS count
     FROM codes WHERE id = $1::uuid`,
    code.id,
  )
  expect(row?.count).toBe(1)
  expect(row?.wait).toBeGreaterThan(5)
  expect(row?.wait).toBeLessThanOrEqual(10)
})

test('expires a code whose payment never began and whose time has passed', async () => {
  const tenant = world.tenant()
  const code = await startPayment(tenant, null)
  await world.age(code.id, 25 * 3600)
  await recoverPayments(world.deps)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'expired', last_error: { code: 'payment_not_started' } })
})

/** A code of a transaction that was pending before. */
async function inviteToPending(tenant: TestTenant) {
  const transaction = tenant.transaction()
  const code = await tenant.create({ transaction: undefined, transaction_id: transaction.id })
  return { code, transaction }
}

test('completes a code whose transaction was authorized before the code was stored', async () => {
  const tenant = world.tenant()
  const { code, transaction } = await inviteToPending(tenant)
  Object.assign(transaction, { status: 'authorized', amount_authorized: code.amount })
  await recoverPayments(world.deps)
  expect((await tenant.read(code.id)).status).toBe('completed')
  expect((await world.stored(code.id)).recover_at).toBeNull()
})

test('reads a pending transaction that is older than its code once, and a claim later reads its payment', async () => {
  const tenant = world.tenant()
  const { code } = await inviteToPending(tenant)
  expect((await world.stored(code.id)).recover_at).not.toBeNull()
  await recoverPayments(world.deps)
  expect(await world.stored(code.id)).toMatchObject({ status: 'active', recover_at: null })
  const codeHash = hashCode(payPagePath(code).slice('/pay/'.length))
  await world.db.acrossTenants((tx) =>
    takeForPayment(tx, { codeHash, version: 1, paymentId: newId(), payerLocale: 'en', payerTimeZone: null }),
  )
  expect((await world.stored(code.id)).recover_at).not.toBeNull()
})

test('reads more payments than one batch in a run', async () => {
  const tenant = world.tenant()
  const codes = []
  for (let i = 0; i < 21; i += 1) codes.push((await inviteToPending(tenant)).code)
  await recoverPayments(world.deps)
  for (const { id } of codes) expect((await world.stored(id)).recover_at).toBeNull()
})

test('ten processes at once record an outcome once', async () => {
  const tenant = world.tenant()
  const code = await startPayment(tenant, 'succeeded')
  await world.age(code.id, 31)
  await Promise.all(Array.from({ length: 10 }, () => recoverPayments(world.deps)))
  const updates = (await tenant.events()).filter(({ payload }) => payload.code.status === 'completed')
  expect(updates).toHaveLength(1)
})
