import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { until } from '@payments/testing/services/until'
import { authorizedIn, capture } from './ledger.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  world.startSending()
})
afterAll(() => world.stop())

/** A code whose transaction the merchant authorized, and changed before the message about the payment is written. */
async function createAuthorized(change: (transaction: Transaction) => void, fields: object = {}) {
  const tenant = world.tenant()
  const recipient = `${randomUUID()}@example.com`
  const code = await tenant.create({ recipient, ...fields })
  const { transaction } = world.payments.ledger.get(code.transaction_id) ?? {}
  if (transaction === undefined) throw new Error('no transaction')
  Object.assign(transaction, authorizedIn(transaction))
  change(transaction)
  await world.event(tenant.id, transaction, null)
  const rows = () =>
    world.rows<{ count: number; due: boolean }>(
      `SELECT attempt_count AS count, due_at IS NOT NULL AS due FROM messages
       WHERE code_id = $1::uuid AND kind = 'receipt'`,
      code.id,
    )
  const messages = () =>
    [...world.communication.messages.values()].filter(
      (one) => one.recipient === recipient && one.template !== 'invitation',
    )
  const makeDue = () =>
    world.rows(
      `UPDATE messages SET due_at = clock_timestamp() - interval '1 second'
       WHERE code_id = $1::uuid AND kind = 'receipt' AND due_at IS NOT NULL RETURNING 1`,
      code.id,
    )
  const isDone = async () => (await rows())[0]?.due === false
  return { tenant, code, transaction, rows, messages, makeDue, isDone }
}

test('a merchant without capture, against the choice of the code, gets no receipt sent to the payer', async () => {
  const { messages } = await createAuthorized(() => {}, { capture: true })
  await until(() => messages().length > 0)
  expect(messages()).toMatchObject([{ template: 'authorization', variables: { amount: '€39.98' } }])
})

test('a merchant with capture, against the choice of the code, sends the receipt', async () => {
  const { messages } = await createAuthorized((transaction) => capture(transaction, 'succeeded'))
  await until(() => messages().length > 0)
  expect(messages()).toMatchObject([{ template: 'receipt', variables: { amount: '€39.98' } }])
})

test('a receipt of a partial capture has the captured amount, and no items', async () => {
  const { messages } = await createAuthorized((transaction) => capture(transaction, 'succeeded', 1000))
  await until(() => messages().length > 0)
  expect(messages()).toMatchObject([{ template: 'receipt', variables: { amount: '€10.00' }, items: [] }])
})

test.each([
  ['voided', { status: 'voided', amount_voided: 3998, amount_capturable: 0 }],
  ['expired', { authorization_expires_at: '2026-01-01T00:00:00.000Z' }],
] as const)('no message follows an authorization that was %s meanwhile', async (_, change) => {
  const { messages, isDone, tenant, code } = await createAuthorized((transaction) => Object.assign(transaction, change))
  await until(isDone)
  expect(messages()).toEqual([])
  expect(await tenant.read(code.id)).toMatchObject({ status: 'completed', last_error: null })
})

test.each([
  ['succeeded', 'receipt'],
  ['declined', 'authorization'],
] as const)('the message waits for the outcome of a capture: %s, %s', async (state, template) => {
  const { transaction, rows, messages, makeDue } = await createAuthorized((one) => capture(one, 'pending'), {
    capture: true,
  })
  await until(async () => ((await rows())[0]?.count ?? 0) > 0)
  expect([messages(), (await rows())[0]?.due]).toEqual([[], true])
  capture(transaction, state)
  await until(async () => {
    await makeDue()
    return messages().length > 0
  })
  expect(messages()).toMatchObject([{ template }])
})

test('a capture without an outcome for a day ends as the last error, without a message', async () => {
  const { tenant, code, messages, makeDue } = await createAuthorized((one) => capture(one, 'pending'))
  await world.rows(`UPDATE messages SET created_at = created_at - interval '1 day' WHERE code_id = $1::uuid`, code.id)
  await until(async () => {
    await makeDue()
    return (await tenant.read(code.id)).last_error !== null
  })
  expect((await tenant.read(code.id)).last_error).toMatchObject({ code: 'operation_in_progress' })
  expect(messages()).toEqual([])
})
