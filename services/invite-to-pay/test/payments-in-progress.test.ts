import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { CodeWithLink } from '@payments/contracts/services/invite-to-pay/contract'
import { until } from '@payments/testing/services/until'
import { createPaymentsInProgress } from '../src/payment/in-progress.ts'
import { payPagePath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

let open = () => {}
afterEach(async () => {
  open()
  world.payments.faults.beforePayment = async () => {}
  await world.deps.inProgress.settled()
})

/** From now on, a payment with the token waits until `open` is called. */
function slowProvider(slowToken: string): void {
  const opened = new Promise<void>((resolve) => (open = resolve))
  world.payments.faults.beforePayment = async ({ payment_details: { cc_token: token } }) => {
    if (token === slowToken) await opened
  }
}

const newPayments = () =>
  createPaymentsInProgress({ log: world.deps.log, metrics: createMetrics('invite-to-pay').registry })

const submit = async (code: CodeWithLink, token: string) => {
  const nonce = await world.nonce(code)
  return world.payer.form(payPagePath(code), { nonce, cc_token: token, payment_method: 'CREDIT_CARD' })
}

async function createCodes(tenant: TestTenant, count: number): Promise<CodeWithLink[]> {
  const codes: CodeWithLink[] = []
  while (codes.length < count) {
    codes.push(
      ...(await Promise.all(Array.from({ length: Math.min(12, count - codes.length) }, () => tenant.create()))),
    )
  }
  return codes
}

test('redirects to the page of a payment in progress while the provider is slow, and the page loads itself again', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  slowProvider('tok_slow')
  const reply = await submit(code, 'tok_slow')
  expect([reply.status, reply.headers['location']]).toEqual([303, payPagePath(code)])
  const page = await world.payer.get(payPagePath(code))
  expect([page.status, page.text.includes('Your payment is in progress')]).toEqual([200, true])
  expect(page.text).toContain(`<noscript><meta http-equiv="refresh" content="20; url=${payPagePath(code)}"></noscript>`)
  open()
  await world.deps.inProgress.settled()
  expect((await world.payer.get(payPagePath(code))).text).toContain('Payment complete')
})

test('132 payments at a slow provider of one tenant delay no page and no payment of another', async () => {
  const [slow, other] = [world.tenant(), world.tenant()]
  const [codes, paid] = [await createCodes(slow, 132), await createCodes(other, 5)]
  slowProvider('tok_slow')
  const replies = await Promise.all(codes.map((code) => submit(code, 'tok_slow')))
  const started = replies.filter(({ status }) => status === 303)
  const rejected = replies.filter(({ status }) => status === 503)
  expect([started.length, rejected.length]).toEqual([32, 100])
  for (const { headers, text } of rejected) {
    expect(headers['retry-after']).toBe('5')
    expect(text).toContain('You have not been charged.')
    expect(text).toContain('<form')
  }
  for (const code of paid) {
    expect((await world.payer.get(payPagePath(code))).status).toBe(200)
    expect((await submit(code, 'tok_visa')).status).toBe(303)
    await until(async () => (await other.read(code.id)).status === 'completed')
  }
  open()
  await world.deps.inProgress.settled()
  const [counts] = await world.rows<{ active: number; completed: number }>(
    `SELECT count(*) FILTER (WHERE status = 'active')::int AS active,
       count(*) FILTER (WHERE status = 'completed')::int AS completed
     FROM codes WHERE tenant_id = $1::uuid`,
    slow.id,
  )
  // A busy machine may not start each payment in time: those are not charged.
  expect(counts?.completed).toBeGreaterThan(0)
  expect((counts?.active ?? 0) + (counts?.completed ?? 0)).toBe(132)
  const [code] = codes.filter((_, index) => replies[index]?.status === 503)
  expect(code && (await world.pay(code)).status).toBe(303)
  expect(code && (await slow.read(code.id)).status).toBe('completed')
})

test('a request waits for the outcome of a fast payment, so its payer is led to the receipt', async () => {
  const inProgress = newPayments()
  let hasEnded = false
  const payment = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    hasEnded = true
  }
  await inProgress.tryAcquire('a')?.start(payment, {})
  expect(hasEnded).toBe(true)
})

test('the drain waits for payments in progress, and admits no other', async () => {
  const inProgress = newPayments()
  let end = () => {}
  const payment = new Promise<void>((resolve) => (end = resolve))
  const [started, unclaimed] = [inProgress.tryAcquire('a'), inProgress.tryAcquire('b')]
  await started?.start(() => payment, {})
  let isStopped = false
  const stopped = inProgress.stop().then(() => (isStopped = true))
  expect(inProgress.tryAcquire('c')).toBeNull()
  unclaimed?.release()
  await delay(0)
  expect(isStopped).toBe(false)
  end()
  await stopped
})

test('a payment that fails returns its permit', async () => {
  const inProgress = newPayments()
  for (let i = 0; i < 100; i += 1) {
    const admitted = inProgress.tryAcquire('a')
    expect(admitted).not.toBeNull()
    await admitted?.start(async () => {
      throw new Error('the database is away')
    }, {})
  }
  await inProgress.stop()
})
