import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { confirmingCode } from './confirmations.ts'
import { endConfirmation } from './ledger.ts'
import { payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.payments.faults.beforeCancel = async () => true
})

test('cancels the payment, and redirects to the page, on which the payer pays in another way', async () => {
  const { code, path, cancel, readStatus } = await confirmingCode(world)
  const reply = await cancel()
  expect([reply.status, reply.headers['location']]).toEqual([303, path])
  expect(await readStatus()).toBe('active')
  const { text } = await world.payer.get(path)
  expect(text).toContain('The payment was canceled before it was confirmed.')
  expect(text).not.toContain('Payment declined')
  await world.pay(code)
  expect(await readStatus()).toBe('completed')
})

test('a payment that was confirmed a moment before is a payment', async () => {
  const { transaction, cancel, readStatus } = await confirmingCode(world)
  endConfirmation(transaction, 'succeeded', '')
  expect((await cancel()).status).toBe(303)
  expect(await readStatus()).toBe('completed')
})

test.each([
  ['without a nonce', {}, {}, 400],
  ['with another nonce', { nonce: '1.x' }, {}, 303],
  ['with another field', { nonce: '1.x', cc_token: 'tok_visa' }, {}, 400],
  ['of another site', { nonce: '1.x' }, { 'Sec-Fetch-Site': 'cross-site' }, 400],
])('a form %s changes nothing', async (_case, fields: Record<string, string>, headers, status) => {
  const { cancel, readStatus, transaction } = await confirmingCode(world)
  expect((await cancel(fields, headers)).status).toBe(status)
  expect([await readStatus(), transaction.pending_operation?.state]).toEqual(['processing', 'action_required'])
})

test('the nonce of another link changes nothing', async () => {
  const first = await confirmingCode(world)
  const other = await confirmingCode(world)
  expect((await first.cancel({ nonce: await world.nonce(other.code) })).status).toBe(303)
  expect([await first.readStatus(), await other.readStatus()]).toEqual(['processing', 'processing'])
})

const down = async () => {
  throw new Error('down')
}
const busy = async () => {
  throw new Problem(problems.operation_in_progress, { retryAfterSeconds: 1 })
}

test.each([
  ['payment-proxy does not respond', down, 503, '5'],
  ['the payment provider does not respond', async () => false, 503, '5'],
  ['another process works on the payment', busy, 409, '2'],
])(
  'while %s, the payment waits for the payer, and the page says so',
  async (_case, beforeCancel, status, retryAfter) => {
    const { path, cancel, readStatus } = await confirmingCode(world)
    world.payments.faults.beforeCancel = beforeCancel
    const reply = await cancel()
    expect([reply.status, reply.headers['retry-after']]).toEqual([status, retryAfter])
    expect(reply.text).toContain('data-state="confirming"')
    expect(reply.text).toContain('The payment was not canceled. Try again in a few seconds.')
    expect(reply.text).not.toContain('You have not been charged.')
    expect(reply.text).toContain(`href="${path}?lang=de"`)
    expect(reply.text).not.toMatch(/href="(\?|")/)
    expect(await readStatus()).toBe('processing')
    world.payments.faults.beforeCancel = async () => true
    expect([(await cancel()).status, await readStatus()]).toEqual([303, 'active'])
  },
)

test('beyond the share of its tenant, nothing is requested, and the page says that the payment waits', async () => {
  const { tenant, code, path, readStatus } = await confirmingCode(world)
  const permits = Array.from({ length: 64 }, () => world.deps.inProgress.tryAcquire(tenant.id))
  const reply = await world.payer.form(`${path}/cancel`, { nonce: await world.nonce(code) })
  for (const permit of permits) permit?.release()
  expect([reply.status, reply.headers['retry-after']]).toEqual([503, '5'])
  expect(reply.text).toContain('The payment was not canceled.')
  expect(reply.text).not.toContain('was not started')
  expect(await readStatus()).toBe('processing')
})

test('a payment that ends while its cancellation gets no response has the page of its end', async () => {
  const { tenant, transaction, path, cancel, readStatus } = await confirmingCode(world)
  world.payments.faults.beforeCancel = async () => {
    endConfirmation(transaction, 'succeeded', '')
    await world.event(tenant.id, transaction, null)
    return down()
  }
  const reply = await cancel()
  expect([reply.status, reply.headers['location'], await readStatus()]).toEqual([303, path, 'completed'])
})

test('redirects to the page when no payment waits, and has a page for an unknown link', async () => {
  const code = await world.tenant().create()
  const nonce = await world.nonce(code)
  const reply = await world.payer.form(`${payPagePath(code)}/cancel`, { nonce })
  expect([reply.status, reply.headers['location']]).toEqual([303, payPagePath(code)])
  expect((await world.payer.form('/pay/unknown/cancel', { nonce })).status).toBe(404)
})
