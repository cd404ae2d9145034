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
import { readBooks } from '@payments/testing/platform/payment-books'
import { sendOnce } from './load/request.ts'
import { authorizationLoad, createTenant } from './load/tenant.ts'
import type { TransactionsRequest, TransactionsResult } from './load/transactions-load.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { startChild, withCleanup } from './measure/child-process.ts'
import { type CpuRows, cpuTable, withPlatformCpu } from './measure/platform-cpu.ts'
import { machineDescription, percentile, roundTo } from './measure/sample-statistics.ts'
import { measureBareLoop } from './payments/bare-loop.ts'

const sustainedShare = 0.98
const { rate, steps, seconds } = benchOptions({ rate: 50, steps: 6, seconds: 10 })
/** V8 has then compiled the code. */
const warmUpPayments = 500
/** Requests of the follow-up operations at a time. */
const followUpsMax = 10

interface Step {
  readonly perSecond: number
  readonly result: TransactionsResult
  readonly cpu: CpuRows
}

let isExact = false
await withCleanup(async (cleanups) => {
  const stack = await startTestStack({ env: unlimitedRates })
  cleanups.push(() => stack.stop())
  const call = authorizationLoad(stack.gatewayUrl, await createTenant(stack))
  const load = await startChild<object, TransactionsRequest, TransactionsResult>(cleanups, 'load/transactions-load')
  const pay = (perSecond: number, forSeconds: number) =>
    load.request({ ...call, pace: { perSecond, seconds: forSeconds } })
  const warmUp = await pay(rate, Math.max(seconds, warmUpPayments / rate))
  let authorized = await followUp(warmUp, call)
  const measured: Step[] = []
  await withClient(testAddress('TEST_DATABASE_URL'), async (administrator) => {
    for (let step = 1; step <= steps; step += 1) {
      const { result, cpu } = await withPlatformCpu(stack, administrator, () => pay(rate * step, seconds))
      authorized += await followUp(result, call)
      measured.push({ perSecond: rate * step, result, cpu })
    }
  })
  const books = await readBooks(stack.databases['payment-proxy'].ownerUrl)
  isExact = books.differences.length === 0 && books.open === 0
  console.log(machineDescription())
  console.table(measured.map(toRow))
  console.log(
    `${books.transactions} transactions, ${books.operations} ended operations, ${books.open} open, ` +
      `${authorized} minor units authorized, ${books.differences.length} differences`,
  )
  for (const difference of books.differences) console.log(difference)
  printCpu(measured)
})
console.log('Bare loop: an intent, then its outcome with an event, each one prepared statement and transaction')
console.table(await measureBareLoop(seconds))
process.exit(isExact ? 0 : 1)

function toRow(step: Step) {
  const { perSecond, result, cpu } = step
  const { created, sent, latenciesMs } = result
  return {
    'due per second': perSecond,
    'responses per second': roundTo(result.punctual / seconds, 0),
    sustained: isSustained(step) ? 'yes' : 'no',
    'p50 ms': roundTo(percentile(latenciesMs, 0.5), 1),
    'p99 ms': roundTo(percentile(latenciesMs, 0.99), 1),
    failed: sent - created.length,
    'CPU ms': roundTo((cpu.get('total') ?? 0) / created.length, 1),
  }
}

function isSustained({ perSecond, result }: Step): boolean {
  return result.punctual >= sustainedShare * perSecond * seconds && result.created.length === result.sent
}

function printCpu(measured: readonly Step[]): void {
  const sustained = measured.findLast(isSustained)
  const step = sustained ?? measured[0]
  if (step === undefined) return
  const which = sustained === undefined ? 'the first rate, as none was sustained' : 'the last sustained rate'
  console.log(`CPU ms of an authorization by process, at ${which}`)
  console.table(cpuTable([{ label: `${step.perSecond}/s`, cpu: step.cpu, count: step.result.created.length }]))
}

/**
 * Captures a tenth of the payments, refunds half of each capture, and compares the amounts in each response with those
 * requested. Returns the sum of the authorized amounts.
 */
async function followUp(
  { created }: TransactionsResult,
  { gatewayUrl, credential }: Pick<TransactionsRequest, 'gatewayUrl' | 'credential'>,
): Promise<number> {
  const command = async (path: string, body: object) => {
    const call = { method: 'POST', path, body, idempotencyKey: randomUUID(), timeoutMs: 30_000 }
    const response = await sendOnce(gatewayUrl, { ...call, ...credential }, 200)
    return JSON.parse(response.body) as { amount_captured: number; amount_refunded: number }
  }
  const chosen = created.filter((_, index) => index % 10 === 0)
  const work = async () => {
    for (let payment = chosen.pop(); payment !== undefined; payment = chosen.pop()) {
      const { id, amount } = payment
      const path = `/v1/payment-proxy/transactions/${id}`
      const half = Math.floor(amount / 2)
      const captured = await command(`${path}/capture`, {})
      const refunded = await command(`${path}/refund`, { amount: half })
      const found = [captured.amount_captured, refunded.amount_refunded]
      if (found[0] !== amount || found[1] !== half)
        throw new Error(`${id}: ${found.join(', ')} instead of ${amount}, ${half}`)
    }
  }
  await Promise.all(Array.from({ length: followUpsMax }, work))
  return created.reduce((sum, { amount }) => sum + amount, 0)
}
