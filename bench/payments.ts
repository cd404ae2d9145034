/**
 * Authorizations per second through the gateway, with the sandbox without delay. Every process of the platform runs.
 *
 *   npm run bench payments -- [--rate 50] [--steps 6] [--seconds 10]
 *
 * Payments arrive at `rate` per second, then at twice the rate, and so on. A rate is sustained when at least 98 % of
 * its responses arrive within its time, each a 201. After each step a tenth of its payments is captured, and half of
 * each capture refunded. In the end the books are compared with the ledger of the sandbox, and with the amounts of the
 * responses: with one difference the run is void, and the exit code is 1. README.md describes the bare loop.
 */
import { randomUUID } from 'node:crypto'
import { withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack } from '@payments/testing/platform/local-stack'
import { type Books, readBooks } from '@payments/testing/platform/payment-books'
import type { PaymentsRequest, PaymentsResult } from './load/payments-load.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { startChild } from './measure/child-process.ts'
import { type CpuRows, cpuTable, withPlatformCpu } from './measure/platform-cpu.ts'
import { machineDescription, roundTo } from './measure/sample-statistics.ts'
import { measureBareLoop } from './payments/bare-loop.ts'

const sustainedShare = 0.98
const { rate, steps, seconds } = benchOptions({ rate: 50, steps: 6, seconds: 10 })
/** V8 has then compiled the code. */
const warmUpPayments = 500
/** Requests of the follow-up operations at a time. */
const followUpsMax = 10

interface Step {
  readonly perSecond: number
  readonly result: PaymentsResult
  readonly cpu: CpuRows
}

const stack = await startTestStack({ env: unlimitedRates })
let books: Books
try {
  const { stdout } = await stack.payctl('tenant', 'create', '--name', 'Bench', '--json', '--show-key')
  const tenant = JSON.parse(stdout) as { tenant_id: string; business_unit_id: string; api_key: { value: string } }
  const headers = {
    Authorization: `Bearer ${tenant.api_key.value}`,
    'Tenant-ID': tenant.tenant_id,
    'Content-Type': 'application/json',
  }
  const transactionsUrl = `${stack.gatewayUrl}/v1/payment-proxy/transactions`
  const load = await startChild<object, PaymentsRequest, PaymentsResult>('load/payments-load')
  const pay = (perSecond: number, forSeconds: number) =>
    load.request({
      url: `${transactionsUrl}/authorize`,
      headers,
      perSecond,
      seconds: forSeconds,
      body: {
        business_unit_id: tenant.business_unit_id,
        currency: 'EUR',
        payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
      },
    })
  const warmUp = await pay(rate, Math.max(seconds, warmUpPayments / rate))
  let authorized = await followUp(warmUp, transactionsUrl, headers)
  const measured: Step[] = []
  await withClient(testAddress('TEST_DATABASE_URL'), async (administrator) => {
    for (let step = 1; step <= steps; step += 1) {
      const { result, cpu } = await withPlatformCpu(stack, administrator, () => pay(rate * step, seconds))
      authorized += await followUp(result, transactionsUrl, headers)
      measured.push({ perSecond: rate * step, result, cpu })
    }
  })
  await load.end()
  books = await readBooks(stack.databases['payment-proxy'].ownerUrl)
  console.log(machineDescription())
  console.table(measured.map(toRow))
  console.log(
    `${books.transactions} transactions, ${books.operations} ended operations, ${books.open} open, ` +
      `${authorized} minor units authorized, ${books.differences.length} differences`,
  )
  for (const difference of books.differences) console.log(difference)
  printCpu(measured)
} finally {
  await stack.stop()
}
console.log('Bare loop: an intent, then its outcome with an event, each one prepared statement and transaction')
console.table(await measureBareLoop(seconds))
process.exit(books.differences.length === 0 && books.open === 0 ? 0 : 1)

function toRow(step: Step) {
  const { perSecond, result, cpu } = step
  const accepted = countAccepted(result)
  return {
    'due per second': perSecond,
    'responses per second': roundTo(result.perSecond, 0),
    sustained: isSustained(step) ? 'yes' : 'no',
    'p50 ms': roundTo(result.p50Ms, 1),
    'p99 ms': roundTo(result.p99Ms, 1),
    failed: result.sent - accepted,
    'CPU ms': roundTo((cpu.get('total') ?? 0) / accepted, 1),
  }
}

function isSustained({ perSecond, result }: Step): boolean {
  return result.perSecond >= sustainedShare * perSecond && countAccepted(result) === result.sent
}

function countAccepted({ statuses }: PaymentsResult): number {
  return statuses['201'] ?? 0
}

function printCpu(measured: readonly Step[]): void {
  const sustained = measured.findLast(isSustained)
  const step = sustained ?? measured[0]
  if (step === undefined) return
  const which = sustained === undefined ? 'the first rate, as none was sustained' : 'the last sustained rate'
  console.log(`CPU ms of an authorization by process, at ${which}`)
  console.table(cpuTable([{ label: `${step.perSecond}/s`, cpu: step.cpu, count: countAccepted(step.result) }]))
}

/**
 * Captures a tenth of the payments, refunds half of each capture, and compares the amounts in each response with those
 * requested. Returns the sum of the authorized amounts.
 */
async function followUp({ authorized }: PaymentsResult, url: string, headers: Record<string, string>): Promise<number> {
  const chosen = authorized.filter((_, index) => index % 10 === 0)
  const work = async () => {
    for (let payment = chosen.pop(); payment !== undefined; payment = chosen.pop()) {
      const { id, amount } = payment
      const half = Math.floor(amount / 2)
      const captured = await command(`${url}/${id}/capture`, headers, {})
      const refunded = await command(`${url}/${id}/refund`, headers, { amount: half })
      const found = [captured.amount_captured, refunded.amount_refunded]
      if (found[0] !== amount || found[1] !== half)
        throw new Error(`${id}: ${found.join(', ')} instead of ${amount}, ${half}`)
    }
  }
  await Promise.all(Array.from({ length: followUpsMax }, work))
  return authorized.reduce((sum, { amount }) => sum + amount, 0)
}

async function command(url: string, headers: Record<string, string>, body: object) {
  const ids = { 'Trace-ID': randomUUID(), 'Idempotency-Key': randomUUID() }
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...ids }, body: JSON.stringify(body) })
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { amount_captured: number; amount_refunded: number }
}
