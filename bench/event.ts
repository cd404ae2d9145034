/**
 * The time and the CPU of a write and of the webhook that it causes. Every process of the platform runs.
 *
 *   npm run bench event -- [--seconds 10] [--rate 0] [--connections 32]
 *
 * Each call creates a transaction, with one event for one subscription. Calls are due at 10, 100 and 300 per second,
 * and then sent by `connections` in a loop. With `rate`, only that rate is measured. README.md has what counts. A
 * missing event makes the exit code 1.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Service, services, withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { type Platform, startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { createTenant, subscribe } from './load/tenant.ts'
import type { Pace, TransactionsRequest, TransactionsResult } from './load/transactions-load.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { type Child, startChild, withCleanup } from './measure/child-process.ts'
import { type DatabaseWork, withDatabaseWork } from './measure/database-work.ts'
import { type CpuRows, cpuTable, withPlatformCpu } from './measure/platform-cpu.ts'
import type { Administrator } from './measure/postgres-cpu.ts'
import { machineDescription, median, percentile, roundTo } from './measure/sample-statistics.ts'
import type { EventReceiverReady, EventReceiverReport } from './webhooks/event-receiver.ts'

const rates = [10, 100, 300]
const warmUp: Pace = { callsMax: 500, connections: 16, seconds: 120 }
/** Audit records are shipped after their responses. */
const settleMs = 1_000
const arrivalPollMs = 20
const arrivalTimeoutMs = 120_000

const { seconds, rate, connections } = benchOptions({ seconds: 10, rate: 0, connections: 32 })

interface Step {
  readonly label: string
  readonly result: TransactionsResult
  readonly arrived: Arrivals
  readonly cpu: CpuRows
  readonly databases: ReadonlyMap<Service, DatabaseWork>
}

interface Arrivals {
  /** From the due time of a call to the arrival of its event. */
  readonly arrivedMs: readonly number[]
  readonly missing: number
  readonly duplicates: number
  /** The mean size of a delivery. */
  readonly bytes: number
}

interface Bench {
  readonly stack: TestStack
  readonly administrator: Administrator
  readonly load: Child<object, TransactionsRequest, TransactionsResult>
  readonly receiver: Child<EventReceiverReady, object, EventReceiverReport>
}

let missing = 0
await withCleanup(async (cleanups) => {
  const stack = await startTestStack({ env: unlimitedRates })
  cleanups.push(() => stack.stop())
  const load: Bench['load'] = await startChild(cleanups, 'load/transactions-load')
  const receiver: Bench['receiver'] = await startChild(cleanups, 'webhooks/event-receiver')
  const call = await prepareCall(stack, receiver.ready.url)
  console.log(machineDescription())
  await withClient(testAddress('TEST_DATABASE_URL'), async (administrator) => {
    const bench = { stack, administrator, load, receiver }
    await send(bench, call, warmUp)
    const steps: Step[] = []
    for (const [label, pace] of paces()) steps.push(await measure(bench, { label, call, pace }))
    print(steps)
    missing = steps.reduce((sum, { arrived }) => sum + arrived.missing, 0)
  })
})
process.exit(missing === 0 ? 0 : 1)

function paces(): [label: string, pace: Pace][] {
  if (rate > 0) return [[`${rate}/s`, { seconds, perSecond: rate }]]
  return [
    ...rates.map((perSecond): [string, Pace] => [`${perSecond}/s`, { seconds, perSecond }]),
    ['saturated', { seconds, connections }],
  ]
}

type Call = Omit<TransactionsRequest, 'pace'>

/** A tenant with one business unit and one subscription, and the call that emits an event for it. */
async function prepareCall(stack: Platform, destinationUrl: string): Promise<Call> {
  const tenant = await createTenant(stack)
  await subscribe(stack.gatewayUrl, tenant, destinationUrl)
  return {
    gatewayUrl: stack.gatewayUrl,
    path: '/v1/payment-proxy/transactions',
    credential: tenant.credential,
    body: { business_unit_id: tenant.unitId, currency: 'EUR', metadata: { note: 'x'.repeat(250) } },
  }
}

async function measure(bench: Bench, { label, call, pace }: { label: string; call: Call; pace: Pace }): Promise<Step> {
  const { stack, administrator } = bench
  await delay(settleMs)
  const { result: measured, databases } = await withDatabaseWork(stack, administrator, () =>
    withPlatformCpu(stack, administrator, () => send(bench, call, pace)),
  )
  return { label, ...measured.result, cpu: measured.cpu, databases }
}

/** Returns after the last accepted event has arrived, or after a deadline. */
async function send({ load, receiver }: Bench, call: Call, pace: Pace) {
  const result = await load.request({ ...call, pace })
  const awaited = new Map(result.created.map(({ id, dueMs }) => [id, dueMs]))
  const arrivedMs: number[] = []
  let [duplicates, bytes] = [0, 0]
  const deadline = performance.now() + arrivalTimeoutMs
  for (;;) {
    const report = await receiver.request({})
    duplicates += report.duplicates
    for (const arrival of report.arrivals) {
      const { transactionId: id } = arrival
      const dueMs = awaited.get(id)
      if (dueMs === undefined) continue
      awaited.delete(id)
      arrivedMs.push(arrival.arrivedMs - dueMs)
      bytes += arrival.bytes
    }
    if (awaited.size === 0 || performance.now() > deadline) break
    await delay(arrivalPollMs)
  }
  const arrived = { arrivedMs, missing: awaited.size, duplicates, bytes: bytes / arrivedMs.length }
  return { result, arrived }
}

function print(steps: readonly Step[]): void {
  const bytes = Math.round(median(steps.map(({ arrived }) => arrived.bytes)))
  console.log(`\n${seconds} s each, ${connections} connections when saturated, deliveries of ${bytes} bytes`)
  console.table(steps.map(toRow))
  for (const { label, result } of steps) {
    if (result.created.length < result.sent) console.log(`${label}, failed: ${JSON.stringify(result.failures)}`)
  }
  console.log('CPU ms of an event by process')
  console.table(cpuTable(steps.map(({ label, cpu, result }) => ({ label, cpu, count: result.created.length }))))
  for (const { label, result, databases } of steps) {
    console.log(`Database work of an event at ${label}`)
    console.table(services.map((service) => databaseRow(service, databases.get(service), result.created.length)))
  }
}

function toRow({ label, result: { created, sent }, arrived }: Step) {
  const from = Math.min(...created.map(({ dueMs }) => dueMs))
  const tookMs = Math.max(...created.map(({ dueMs, latencyMs }) => dueMs + latencyMs)) - from
  const acceptedMs = created.map(({ latencyMs }) => latencyMs)
  const ms = (samples: readonly number[], share: number) => roundTo(percentile(samples, share), 1)
  return {
    due: label,
    'accepted/s': roundTo((created.length * 1_000) / tookMs, 1),
    failed: sent - created.length,
    'accepted p50 ms': ms(acceptedMs, 0.5),
    'accepted p99 ms': ms(acceptedMs, 0.99),
    'arrived p50 ms': ms(arrived.arrivedMs, 0.5),
    'arrived p99 ms': ms(arrived.arrivedMs, 0.99),
    missing: arrived.missing,
    duplicates: arrived.duplicates,
  }
}

function databaseRow(service: Service, work: DatabaseWork | undefined, events: number) {
  const each = (count: number | undefined) => (count === undefined ? '-' : roundTo(count / events, 2))
  const { statements, transactions, roundTrips } = work ?? {}
  return {
    service,
    statements: each(statements?.all),
    BEGIN: each(statements?.begin),
    COMMIT: each(statements?.commit),
    set_config: each(statements?.setConfig),
    transactions: each(transactions),
    'round trips': each(roundTrips),
  }
}
