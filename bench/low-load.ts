/**
 * Latency and CPU of reads with an API key at low load, through the whole platform, and the CPU of the platform at
 * rest. README.md has what counts.
 *
 *   npm run bench low-load -- [--rounds 3] [--seconds 10] [--warm-up 5000] [--rate 0]
 *
 * With `rate`, every request is measured at that rate only.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import type { StubReady } from './gateways/stub-server.ts'
import { duringPacedLoad, type Generator, requireSuccess, warmUp } from './load/paced-cpu.ts'
import { buildHeaders } from './load/request.ts'
import { createTenant } from './load/tenant.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { startChild, withCleanup } from './measure/child-process.ts'
import { type CpuRows, cpuTable, withPlatformCpu } from './measure/platform-cpu.ts'
import type { Administrator } from './measure/postgres-cpu.ts'
import { machineDescription, median, percentile, roundTo } from './measure/sample-statistics.ts'

const options = benchOptions({ rounds: 3, seconds: 10, 'warm-up': 5_000, rate: 0 })
/** A waiting request would hide that the platform is slow. */
const connections = 16
/** Requests of all rounds at the lowest rate. */
const requestsMin = 30
/** Audit records are shipped after their responses. */
const settleMs = 1_000
/** The default of a deployment; `npm start` logs every request. */
const environment = { ...unlimitedRates, LOG_REQUEST_SHARE: '0.01' }

const eventTypes = 'webhooks/event-types, one of them'
const noPlatform = 'no platform'
/** By rate: the most CPU of a request and the highest p50, both in ms. */
const musts: Readonly<Record<number, { readonly cpuMs?: number; readonly p50Ms: number }>> = {
  1: { p50Ms: 4 },
  10: { cpuMs: 8, p50Ms: 3 },
  100: { cpuMs: 1.5, p50Ms: 1.8 },
}

/** A request to measure. */
interface Read {
  readonly name: string
  readonly port: number
  readonly path: string
  readonly rates: readonly number[]
}

interface Measured {
  readonly latenciesMs: readonly number[]
  readonly p50Ms: number
  /** Of a request. */
  readonly cpu: CpuRows
}

interface Bench {
  readonly stack: TestStack
  readonly administrator: Administrator
  readonly load: Generator
  readonly headers: Readonly<Record<string, string>>
}

/** Measurements by request and rate, one of each round. */
const results = new Map<Read, Map<number, Measured[]>>()
/** CPU of one second at rest, one of each round. */
const atRest: CpuRows[] = []

await withCleanup(async (cleanups) => {
  const stack = await startTestStack({ env: environment })
  cleanups.push(() => stack.stop())
  const load: Generator = await startChild(cleanups, 'load/http-load')
  const stub = await startChild<StubReady>(cleanups, 'gateways/stub-server', { args: ['upstream'] })
  const { headers, reads } = await prepareReads(stack, stub.ready.port)
  await withClient(testAddress('TEST_DATABASE_URL'), async (administrator) => {
    const bench = { stack, administrator, load, headers }
    for (const { name, port, path } of reads)
      await warmUp(load, name, { port, path, headers, connections }, options['warm-up'])
    for (let round = 0; round < options.rounds; round += 1)
      await runRound(bench, round % 2 === 0 ? reads : reads.toReversed())
  })
  print()
})
process.exit()

/** A tenant with one API key, and the reads of it. */
async function prepareReads(stack: TestStack, stubPort: number) {
  const { keyId, credential, roles } = await createTenant(stack)
  const port = stack.ports.gateway
  const every = options.rate > 0 ? [options.rate] : [1, 10, 50, 100, 300]
  const one = options.rate > 0 ? [options.rate] : [10]
  const two = options.rate > 0 ? [options.rate] : [10, 100]
  const reads: readonly Read[] = [
    { name: eventTypes, port, path: '/v1/webhooks/event-types?limit=1', rates: every },
    { name: 'api-key/keys/self', port, path: '/v1/api-key/keys/self', rates: every },
    { name: 'permissions of a key', port, path: `/v1/api-key/keys/${keyId}/permissions`, rates: one },
    { name: 'members of a role', port, path: `/v1/identity/users?role_id=${roles.admin}`, rates: one },
    { name: 'identity/self', port, path: '/v1/identity/self', rates: one },
    { name: noPlatform, port: stubPort, path: '/', rates: two },
  ]
  return { headers: buildHeaders(credential), reads }
}

/** Reads at the same rate are neighbours, so that other work of the machine affects them alike. */
async function runRound(bench: Bench, reads: readonly Read[]): Promise<void> {
  await delay(settleMs)
  const rest = await withPlatformCpu(bench.stack, bench.administrator, () => delay(options.seconds * 1_000))
  atRest.push(each(rest.cpu, options.seconds))
  const rates = [...new Set(reads.flatMap((read) => read.rates))].sort((a, b) => a - b)
  for (const rate of rates) {
    for (const read of reads.filter((one) => one.rates.includes(rate))) {
      const ofRead = results.get(read) ?? new Map<number, Measured[]>()
      results.set(read, ofRead.set(rate, [...(ofRead.get(rate) ?? []), await measure(bench, read, rate)]))
    }
  }
}

async function measure(bench: Bench, { name, port, path }: Read, perSecond: number): Promise<Measured> {
  const { stack, administrator, load, headers } = bench
  const seconds = Math.max(options.seconds, Math.ceil(requestsMin / perSecond / options.rounds))
  await delay(settleMs)
  const paced = { port, path, headers, connections, perSecond, seconds }
  const { result, measured } = await duringPacedLoad(load, paced, (work) => withPlatformCpu(stack, administrator, work))
  const { latenciesMs, p50Ms } = requireSuccess(name, result)
  return { latenciesMs, p50Ms, cpu: each(measured.cpu, seconds * perSecond) }
}

function each(cpu: CpuRows, count: number): CpuRows {
  return new Map([...cpu].map(([row, ms]) => [row, ms / count]))
}

/** The median of each row. */
function takeMedian(rounds: readonly CpuRows[]): CpuRows {
  const names = [...(rounds[0]?.keys() ?? [])]
  return new Map(names.map((name) => [name, median(rounds.map((rows) => rows.get(name) ?? 0))]))
}

function print(): void {
  console.log(machineDescription())
  console.log(
    `${options.rounds} rounds of ${options.seconds} s, at least ${requestsMin} requests of a row. ` +
      'CPU is of every process, PostgreSQL and RabbitMQ, and contains what they do at rest.',
  )
  const restMs = takeMedian(atRest).get('total') ?? 0
  console.log(`At rest: ${roundTo(restMs / 10, 1)} % of a core`)
  const measured = [...results].flatMap(([read, rates]) =>
    [...rates].map(([rate, rounds]) => ({ name: read.name, rate, rounds })),
  )
  const reference = new Map(
    measured.filter(({ name }) => name === eventTypes).map(({ rate, rounds }) => [rate, rounds]),
  )
  console.table(measured.map((row) => toRow(row, reference.get(row.rate) ?? [])))
  const columns = measured.filter(({ name }) => name !== noPlatform)
  const printTable = (title: string, of: typeof columns, formatLabel: (one: (typeof columns)[number]) => string) => {
    console.log(title)
    const ofRates = of.map((one) => ({ label: formatLabel(one), cpu: medianCpu(one.rounds), count: 1 }))
    console.table(cpuTable([{ label: 'rest, ms of a second', cpu: takeMedian(atRest), count: 1 }, ...ofRates]))
  }
  printTable(
    `CPU ms of a request by process: ${eventTypes}`,
    columns.filter(({ name }) => name === eventTypes),
    ({ rate }) => `${rate}/s`,
  )
  const rate = options.rate > 0 ? options.rate : 10
  printTable(
    `CPU ms of a request by process at ${rate}/s`,
    columns.filter((one) => one.rate === rate),
    ({ name }) => name,
  )
}

function medianCpu(rounds: readonly Measured[]): CpuRows {
  return takeMedian(rounds.map(({ cpu }) => cpu))
}

function toRow(
  { name, rate, rounds }: { name: string; rate: number; rounds: readonly Measured[] },
  reference: readonly Measured[],
) {
  const latencies = rounds.flatMap(({ latenciesMs }) => [...latenciesMs])
  const must = name === eventTypes ? musts[rate] : undefined
  const ratio = median(rounds.map(({ p50Ms }, round) => p50Ms / (reference[round]?.p50Ms ?? Number.NaN)))
  return {
    request: name,
    'per second': rate,
    requests: latencies.length,
    'p50 ms': roundTo(median(rounds.map(({ p50Ms }) => p50Ms)), 2),
    'must be ≤': must?.p50Ms ?? null,
    'p99 ms': roundTo(percentile(latencies, 0.99), 1),
    [`p50 × ${eventTypes}`]: roundTo(ratio, 2),
    'CPU ms': name === noPlatform ? null : roundTo(medianCpu(rounds).get('total') ?? 0, 2),
    'CPU must be ≤': must?.cpuMs ?? null,
  }
}
