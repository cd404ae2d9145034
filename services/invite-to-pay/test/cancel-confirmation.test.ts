import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { confirmingCode } from './confirmations.ts'
import { endConfirmation } from './ledger.ts'
import { pathOf, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('cancels the payment, and leads to the page, on which the payer pays in another way', async () => {
  const { code, path, cancel, statusOf } = await confirmingCode(world)
  const reply = await cancel()
  expect([reply.status, reply.headers['location']]).toEqual([303, path])
  expect(await statusOf()).toBe('active')
  expect((await world.payer.get(path)).text).toContain('The payment was canceled before it was confirmed.')
  await world.pay(code)
  expect(await statusOf()).toBe('completed')
})

test('a payment that was confirmed a moment before is a payment', async () => {
  const { transaction, cancel, statusOf } = await confirmingCode(world)
  endConfirmation(transaction, 'succeeded', '')
  expect((await cancel()).status).toBe(303)
  expect(await statusOf()).toBe('completed')
})

test.each([
  ['without a nonce', {}, {}, 400],
  ['with another nonce', { nonce: '1.x' }, {}, 303],
  ['with another field', { nonce: '1.x', cc_token: 'tok_visa' }, {}, 400],
  ['of another site', { nonce: '1.x' }, { 'Sec-Fetch-Site': 'cross-site' }, 400],
])('a form %s changes nothing', async (_case, fields: Record<string, string>, headers, status) => {
  const { cancel, statusOf, transaction } = await confirmingCode(world)
  expect((await cancel(fields, headers)).status).toBe(status)
  expect([await statusOf(), transaction.pending_operation?.state]).toEqual(['processing', 'action_required'])
})

test('the nonce of another link changes nothing', async () => {
  const first = await confirmingCode(world)
  const other = await confirmingCode(world)
  expect((await first.cancel({ nonce: await world.nonce(other.code) })).status).toBe(303)
  expect([await first.statusOf(), await other.statusOf()]).toEqual(['processing', 'processing'])
})

test('leads to the page when no payment waits, and has a page for an unknown link', async () => {
  const code = await world.tenant().create()
  const nonce = await world.nonce(code)
  const reply = await world.payer.form(`${pathOf(code)}/cancel`, { nonce })
  expect([reply.status, reply.headers['location']]).toEqual([303, pathOf(code)])
  expect((await world.payer.form('/pay/unknown/cancel', { nonce })).status).toBe(404)
})
