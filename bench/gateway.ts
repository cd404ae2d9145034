/**
 * CPU and latency of the gateway: a GET with an API key through the whole pipeline, beside other gateways in front of
 * the same upstream, at low rates and saturated. README.md describes the variants and what counts.
 *
 * npm run bench gateway -- [--rounds 3] [--seconds 3] [--warm-up 50000] [--connections 50] [--semi-space-mb 0]
 * [--old-space-mb 0]
 */
import { setTimeout as delay } from 'node:timers/promises'
import { buildGatewayFlags, heapOptions } from './gateways/flags.ts'
import { fastifyName, startVariants, type Variant, type VariantCpu, type Variants } from './gateways/variants.ts'
import type { LoadRequest, LoadResult } from './load/http-load.ts'
import { duringPacedLoad, type Generator } from './load/paced-cpu.ts'
import { benchOptions } from './measure/bench-options.ts'
import { startChild, withCleanup } from './measure/child-process.ts'
import { spentMs } from './measure/cpu-time.ts'
import { machineDescription, median, roundTo } from './measure/sample-statistics.ts'

interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMicroseconds: Readonly<Record<Part | 'all', number>>
}

type Part = keyof VariantCpu
type BuildRequest = (variant: Variant) => Omit<LoadRequest, 'seconds'>

const options = benchOptions({ rounds: 3, seconds: 3, 'warm-up': 50_000, connections: 50, ...heapOptions })
const path = '/v1/payment-proxy/transactions/01920000-0000-7000-8000-000000000000'
const pacedRates = [10, 100, 400]
/** Of a measurement at a rate. CPU is counted in ticks of 10 ms. */
const requestsMin = 100
const warmUpSecondsMax = 120
/** Audit records are shipped and stored after their responses. */
const settleMs = 1_000
const parts = ['proxy', 'others', 'audit', 'broker', 'verification'] as const satisfies readonly Part[]
const saturated = 'saturated'
const loads: readonly string[] = [...pacedRates.map((rate) => `${rate}/s`), saturated]

/** By variant and load, one of each round. */
const results = new Map<string, Measured[]>()
const nameRun = (variant: string, load: string) => `${variant} at ${load}`
/** How often the gateway has read the authorization version of identity for the requests of a variant. */
const identityReads = new Map<string, number>()

await withCleanup(async (cleanups) => {
  const variants = await startVariants(cleanups, buildGatewayFlags(options))
  const generator: Generator = await startChild('load/http-load')
  cleanups.push(generator.end)
  const { connections } = options
  const buildRequest: BuildRequest = ({ port, headers }) => ({
    port,
    path,
    headers: headers ?? variants.headers,
    connections,
  })
  for (const variant of variants.all) await warmUp(generator, variant, buildRequest)
  for (let round = 0; round < options.rounds; round += 1) {
    for (const load of loads) {
      for (const variant of variants.all) {
        const before = await variants.identityReads()
        add(nameRun(variant.name, load), await measure(generator, variant, buildRequest, load))
        const reads = (await variants.identityReads()) - before
        identityReads.set(variant.name, (identityReads.get(variant.name) ?? 0) + reads)
      }
    }
  }
  print(variants)
})
process.exit()

function add(key: string, measured: Measured): void {
  results.set(key, [...(results.get(key) ?? []), measured])
}

async function warmUp(generator: Generator, variant: Variant, buildRequest: BuildRequest): Promise<void> {
  let requests = 0
  for (let seconds = 0; requests < options['warm-up'] && seconds < warmUpSecondsMax; seconds += 2)
    requests += requireSuccess(variant, await generator.request({ ...buildRequest(variant), seconds: 2 })).requests
  if (requests < options['warm-up']) console.log(`${variant.name}: warmed up with ${requests} requests only`)
}

async function measure(
  generator: Generator,
  variant: Variant,
  buildRequest: BuildRequest,
  load: string,
): Promise<Measured> {
  const request = buildRequest(variant)
  if (load === saturated) return measureSaturated(generator, variant, request)
  await delay(settleMs)
  const perSecond = Number.parseInt(load, 10)
  const seconds = Math.max(options.seconds, requestsMin / perSecond)
  const { result, measured } = await duringPacedLoad(generator, { ...request, perSecond, seconds }, (work) =>
    spentDuring(variant, work),
  )
  return toMeasured(requireSuccess(variant, result), perSecond, cpuPerRequest(measured.spent, perSecond * seconds))
}

/** The CPU contains what follows the responses. */
async function measureSaturated(
  generator: Generator,
  variant: Variant,
  request: Omit<LoadRequest, 'seconds'>,
): Promise<Measured> {
  const { result, spent } = await spentDuring(variant, async () => {
    const from = performance.now()
    const sent = await generator.request({ ...request, seconds: options.seconds })
    const elapsedMs = performance.now() - from
    await delay(settleMs)
    return { ...requireSuccess(variant, sent), elapsedMs }
  })
  return toMeasured(result, (result.requests * 1_000) / result.elapsedMs, cpuPerRequest(spent, result.requests))
}

function toMeasured({ p50Ms, p99Ms }: LoadResult, perSecond: number, cpu: Measured['cpuMicroseconds']): Measured {
  return { perSecond, p50Ms, p99Ms, cpuMicroseconds: cpu }
}

/** Runs `work`. Returns its result and the CPU that the variant spent meanwhile, in ms. */
async function spentDuring<T>(
  variant: Variant,
  work: () => Promise<T>,
): Promise<{ result: T; spent: Record<Part, number> }> {
  const before = await variant.cpuTimes()
  const result = await work()
  const after = await variant.cpuTimes()
  const spent = parts.map((part) => [part, spentMs(before[part], after[part])])
  return { result, spent: Object.fromEntries(spent) as Record<Part, number> }
}

function cpuPerRequest(spent: Record<Part, number>, requests: number): Measured['cpuMicroseconds'] {
  const each = (ms: number) => (ms * 1_000) / requests
  const cpu = Object.fromEntries(parts.map((part) => [part, each(spent[part])])) as Record<Part, number>
  return { ...cpu, all: parts.reduce((sum, part) => sum + cpu[part], 0) }
}

function requireSuccess(variant: Variant, result: LoadResult): LoadResult {
  if (Object.keys(result.failures).length > 0)
    throw new Error(`${variant.name}: not every response was a 200: ${JSON.stringify(result.failures)}`)
  return result
}

function of(variant: string, load: string, pick: (measured: Measured) => number): number {
  return median((results.get(nameRun(variant, load)) ?? []).map(pick))
}

function medianMicroseconds(variant: string, load: string, part: Part | 'all' = 'all'): number {
  return of(variant, load, ({ cpuMicroseconds }) => cpuMicroseconds[part])
}

function print(variants: Variants): void {
  const { rounds, seconds, connections } = options
  console.log(machineDescription())
  console.log(
    `${rounds} rounds of ${seconds} s and at least ${requestsMin} requests, ${connections} connections. ` +
      'CPU at a rate contains what the processes do at rest.',
  )
  for (const load of loads) {
    console.log(load)
    console.table(variants.all.map(({ name }) => toRow(name, load)))
  }
  console.log('CPU µs of a request by part')
  const columns = [
    ...loads.map((load) => ['gateway', load] as const),
    ['gateway, session', saturated] as const,
    [fastifyName, saturated] as const,
  ]
  const cells = (part: Part | 'all') =>
    columns.map(([name, load]) => [nameRun(name, load), roundTo(medianMicroseconds(name, load, part), 1)])
  console.table(Object.fromEntries([...parts, 'all' as const].map((part) => [part, Object.fromEntries(cells(part))])))
  console.log(
    `leases of identity: ${identityReads.get('gateway')} reads for requests with the API key, ` +
      `${identityReads.get('gateway, session')} for requests with the session`,
  )
  const p50Ratio = addedMs('gateway', '400/s', 'p50Ms') / addedMs('express-http-proxy', '400/s', 'p50Ms')
  console.log(`added p50 of the gateway at 400/s: ${roundTo(p50Ratio, 1)} × the lower bound`)
  console.log(`gateway memory after the rounds: ${Math.round(variants.gatewayRssMb())} MB`)
}

function toRow(name: string, load: string) {
  const cpu = medianMicroseconds(name, load)
  const ratio = (other: string) => formatRatio(cpu / medianMicroseconds(other, load), 2)
  const formatRatio = (value: number, digits: number) =>
    name === 'direct' || Number.isNaN(value) ? null : roundTo(value, digits)
  return {
    variant: name,
    'requests/s': Math.round(of(name, load, ({ perSecond }) => perSecond)),
    'p50 ms': roundTo(
      of(name, load, ({ p50Ms }) => p50Ms),
      2,
    ),
    'p99 ms': roundTo(
      of(name, load, ({ p99Ms }) => p99Ms),
      2,
    ),
    'added p50 ms': roundTo(addedMs(name, load, 'p50Ms'), 2),
    'CPU µs': formatRatio(cpu, 1),
    'proxy µs': formatRatio(medianMicroseconds(name, load, 'proxy'), 1),
    '× lower bound': ratio('express-http-proxy'),
    '× tutorial': ratio('tutorial wiring'),
    '× Fastify': ratio(fastifyName),
  }
}

function addedMs(name: string, load: string, pick: 'p50Ms' | 'p99Ms'): number {
  return of(name, load, (measured) => measured[pick]) - of('direct', load, (measured) => measured[pick])
}
