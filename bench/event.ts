/**
 * The time and the CPU of a write and of the webhook that it causes. Every process of the platform runs.
 *
 *   npm run bench event -- [--seconds 10] [--rate 0] [--connections 32]
 *
 * Each call creates a transaction, with one event for one subscription. Calls are due at 10, 100 and 300 per second,
 * and then sent by `connections` in a loop. With `rate`, only that rate is measured. README.md has what counts. A
 * missing event makes the exit code 1.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Service, services, withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import type { EventCall, EventPace, EventRequest, EventResult } from './load/event-load.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { type Child, startChild, withCleanup } from './measure/child-process.ts'
import { type DatabaseWork, withDatabaseWork } from './measure/database-work.ts'
import { type CpuRows, cpuTable, withPlatformCpu } from './measure/platform-cpu.ts'
import type { Administrator } from './measure/postgres-cpu.ts'
import { machineDescription, median, percentile, roundTo } from './measure/sample-statistics.ts'
import type { EventReceiverReady, EventReceiverReport } from './webhooks/event-receiver.ts'

const rates = [10, 100, 300]
const warmUp: EventPace = { callsMax: 500, connections: 16, seconds: 120 }
/** Audit records are shipped after their responses. */
const settleMs = 1_000
const arrivalPollMs = 20
const arrivalTimeoutMs = 120_000

const { seconds, rate, connections } = benchOptions({ seconds: 10, rate: 0, connections: 32 })

interface Step {
  readonly label: string
  readonly result: EventResult
  readonly acceptedMs: readonly number[]
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
  readonly load: Child<object, EventRequest, EventResult>
  readonly receiver: Child<EventReceiverReady, object, EventReceiverReport>
}

let missing = 0
await withCleanup(async (cleanups) => {
  const stack = await startTestStack({ env: unlimitedRates })
  cleanups.push(() => stack.stop())
  const load = await startChild<object, EventRequest, EventResult>('load/event-load')
  cleanups.push(load.end)
  const receiver = await startChild<EventReceiverReady, object, EventReceiverReport>('webhooks/event-receiver')
  cleanups.push(receiver.end)
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

function paces(): [label: string, pace: EventPace][] {
  if (rate > 0) return [[`${rate}/s`, { seconds, perSecond: rate }]]
  return [
    ...rates.map((perSecond): [string, EventPace] => [`${perSecond}/s`, { seconds, perSecond }]),
    ['saturated', { seconds, connections }],
  ]
}

/** A tenant with one business unit and one subscription, and the call that emits an event for it. */
async function prepareCall(stack: TestStack, destinationUrl: string): Promise<EventCall> {
  const { stdout } = await stack.payctl('tenant', 'create', '--name', 'Bench', '--json', '--show-key')
  const tenant = JSON.parse(stdout) as { tenant_id: string; business_unit_id: string; api_key: { value: string } }
  const { tenant_id: tenantId, business_unit_id: unit } = tenant
  const headers = {
    Authorization: `Bearer ${tenant.api_key.value}`,
    'Tenant-ID': tenantId,
    'Content-Type': 'application/json',
  }
  const subscriptionsUrl = `${stack.gatewayUrl}/v1/webhooks/${unit}/webhooks`
  const response = await fetch(subscriptionsUrl, {
    method: 'POST',
    headers: { ...headers, 'Trace-ID': randomUUID() },
    body: JSON.stringify({ destination_url: destinationUrl }),
  })
  if (response.status !== 201) throw new Error(`subscription: ${response.status} ${await response.text()}`)
  const transaction = { business_unit_id: unit, currency: 'EUR', amount: 1_999, metadata: { note: 'x'.repeat(250) } }
  const url = `${stack.gatewayUrl}/v1/payment-proxy/transactions`
  return { url, headers, body: JSON.stringify(transaction) }
}

async function measure(
  bench: Bench,
  { label, call, pace }: { label: string; call: EventCall; pace: EventPace },
): Promise<Step> {
  const { stack, administrator } = bench
  await delay(settleMs)
  const { result: measured, databases } = await withDatabaseWork(stack, administrator, () =>
    withPlatformCpu(stack, administrator, () => send(bench, call, pace)),
  )
  const { result, arrived } = measured.result
  const acceptedMs = result.accepted.map(({ dueMs, respondedMs }) => respondedMs - dueMs)
  return { label, result, acceptedMs, arrived, cpu: measured.cpu, databases }
}

/** Returns after the last accepted event has arrived, or after a deadline. */
async function send({ load, receiver }: Bench, call: EventCall, pace: EventPace) {
  const result = await load.request({ call, pace })
  const awaited = new Map(result.accepted.map(({ id, dueMs }) => [id, dueMs]))
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
    if (result.accepted.length < result.sent) console.log(`${label}, failed: ${JSON.stringify(result.failures)}`)
  }
  console.log('CPU ms of an event by process')
  console.table(cpuTable(steps.map(({ label, cpu, result }) => ({ label, cpu, count: result.accepted.length }))))
  for (const { label, result, databases } of steps) {
    console.log(`Database work of an event at ${label}`)
    console.table(services.map((service) => databaseRow(service, databases.get(service), result.accepted.length)))
  }
}

function toRow({ label, result, acceptedMs, arrived }: Step) {
  const { accepted, sent } = result
  const from = Math.min(...accepted.map(({ dueMs }) => dueMs))
  const tookMs = Math.max(...accepted.map(({ respondedMs }) => respondedMs)) - from
  const ms = (samples: readonly number[], share: number) => roundTo(percentile(samples, share), 1)
  return {
    due: label,
    'accepted/s': roundTo((accepted.length * 1_000) / tookMs, 1),
    failed: sent - accepted.length,
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
