import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { confirmingCode } from './confirmations.ts'
import { endConfirmation } from './ledger.ts'
import { payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.payments.faults.beforeRead = async () => {}
})

test('requests the outcome of the payment, and redirects to the page, which says that it is paid', async () => {
  const { path, transaction, returns, readStatus } = await confirmingCode(world)
  endConfirmation(transaction, 'succeeded', '')
  const reply = await returns()
  expect([reply.status, reply.headers['location']]).toEqual([303, path])
  await world.deps.inProgress.settled()
  expect(await readStatus()).toBe('completed')
  expect((await world.payer.get(path)).text).toContain('data-state="completed"')
})

test('after a decline at the bank, the code can be paid again, and the page says why', async () => {
  const { path, transaction, returns, readStatus, code } = await confirmingCode(world)
  endConfirmation(transaction, 'declined', 'authentication_failed')
  await returns()
  await world.deps.inProgress.settled()
  expect(await readStatus()).toBe('active')
  expect((await world.payer.get(path)).text).toContain('The payment was not confirmed at your bank.')
  await world.pay(code)
  expect(await readStatus()).toBe('completed')
})

test.each([
  ['a forged outcome', '?status=succeeded&redirect_status=succeeded&payment_intent=pi_1'],
  ['the outcome of another payment', '?payment_id=0191e4a2-0000-7d11-8c55-91b6e0a7c020'],
  ['an identifier with the form of a card number', '?txn=4532015112830366'],
  ['a long query', `?x=${'y'.repeat(3_000)}`],
])('%s in the address proves nothing', async (_case, query) => {
  const { returns, readStatus } = await confirmingCode(world)
  expect((await returns(query)).status).toBe(303)
  await world.deps.inProgress.settled()
  expect(await readStatus()).toBe('processing')
})

test('a return that is repeated requests the outcome once in two seconds', async () => {
  const { returns, paid, transaction } = await confirmingCode(world)
  expect(paid.status).toBe(303)
  const id = transaction.pending_operation?.id
  await Promise.all(Array.from({ length: 10 }, () => returns()))
  await world.deps.inProgress.settled()
  expect(world.payments.syncs.filter((one) => one === id)).toHaveLength(1)
})

test('the return of another payer shows their own link, and ends no other payment', async () => {
  const first = await confirmingCode(world)
  const other = await confirmingCode(world)
  endConfirmation(first.transaction, 'succeeded', '')
  const reply = await other.returns()
  expect(reply.headers['location']).toBe(other.path)
  await world.deps.inProgress.settled()
  expect([await first.readStatus(), await other.readStatus()]).toEqual(['processing', 'processing'])
})

test('while payment-proxy does not respond, the payment stays in progress', async () => {
  const { path, returns, readStatus } = await confirmingCode(world)
  world.payments.faults.beforeRead = async () => {
    throw new Error('down')
  }
  expect((await returns()).status).toBe(303)
  await world.deps.inProgress.settled()
  expect(await readStatus()).toBe('processing')
  expect((await world.payer.get(path)).text).toContain('data-state="confirming"')
})

test('without a payment that waits, and for an unknown link, requests nothing', async () => {
  const code = await world.tenant().create()
  const before = world.payments.syncs.length
  const reply = await world.payer.get(`${payPagePath(code)}/return`)
  expect([reply.status, reply.headers['location']]).toEqual([303, payPagePath(code)])
  expect((await world.payer.get('/pay/unknown/return')).status).toBe(404)
  expect(world.payments.syncs).toHaveLength(before)
})
