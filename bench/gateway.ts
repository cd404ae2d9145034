/**
 * CPU and latency of the gateway: a GET with an API key through the whole pipeline, beside other gateways in front of
 * the same upstream, at low rates and saturated. README.md describes the variants and what counts.
 *
 * npm run bench gateway -- [--rounds 3] [--seconds 3] [--warm-up 50000] [--connections 50]
 */
import { setTimeout as delay } from 'node:timers/promises'
import { fastifyName, startVariants, type Variant, type VariantCpu, type Variants } from './gateways/variants.ts'
import type { LoadRequest } from './load/http-load.ts'
import { duringPacedLoad, type Generator, requireSuccess, warmUp } from './load/paced-cpu.ts'
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

const options = benchOptions({ rounds: 3, seconds: 3, 'warm-up': 50_000, connections: 50 })
const path = '/v1/payment-proxy/transactions/01920000-0000-7000-8000-000000000000'
const pacedRates = [10, 100, 400]
/** Of a measurement at a rate. CPU is counted in ticks of 10 ms. */
const requestsMin = 100
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
  const variants = await startVariants(cleanups)
  const generator: Generator = await startChild(cleanups, 'load/http-load')
  for (const variant of variants.all) await warmUp(generator, variant.name, buildRequest(variant), options['warm-up'])
  for (let round = 0; round < options.rounds; round += 1) {
    for (const load of loads) {
      for (const variant of variants.all) {
        const before = await variants.identityReads()
        const key = nameRun(variant.name, load)
        results.set(key, [...(results.get(key) ?? []), await measure(generator, variant, load)])
        const reads = (await variants.identityReads()) - before
        identityReads.set(variant.name, (identityReads.get(variant.name) ?? 0) + reads)
      }
    }
  }
  print(variants)
})
process.exit()

function buildRequest({ port, headers }: Variant): Omit<LoadRequest, 'seconds'> {
  return { port, path, headers, connections: options.connections }
}

async function measure(generator: Generator, variant: Variant, load: string): Promise<Measured> {
  if (load === saturated) return measureSaturated(generator, variant)
  await delay(settleMs)
  const perSecond = Number.parseInt(load, 10)
  const seconds = Math.max(options.seconds, requestsMin / perSecond)
  const paced = { ...buildRequest(variant), perSecond, seconds }
  const { result, measured } = await duringPacedLoad(generator, paced, (work) => spentDuring(variant, work))
  const cpuMicroseconds = cpuPerRequest(measured.spent, perSecond * seconds)
  return { ...requireSuccess(variant.name, result), perSecond, cpuMicroseconds }
}

/** The CPU contains what follows the responses. */
async function measureSaturated(generator: Generator, variant: Variant): Promise<Measured> {
  const { result, spent } = await spentDuring(variant, async () => {
    const from = performance.now()
    const sent = await generator.request({ ...buildRequest(variant), seconds: options.seconds })
    const elapsedMs = performance.now() - from
    await delay(settleMs)
    return { ...requireSuccess(variant.name, sent), elapsedMs }
  })
  const perSecond = (result.requests * 1_000) / result.elapsedMs
  return { ...result, perSecond, cpuMicroseconds: cpuPerRequest(spent, result.requests) }
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
  const p50Ratio = addedP50Ms('gateway', '400/s') / addedP50Ms('express-http-proxy', '400/s')
  console.log(`added p50 of the gateway at 400/s: ${roundTo(p50Ratio, 1)} × the lower bound`)
  console.log(`gateway memory after the rounds: ${variants.gatewayRssMb()} MB`)
}

function toRow(name: string, load: string) {
  const cpu = medianMicroseconds(name, load)
  const ratio = (other: string) => formatRatio(cpu / medianMicroseconds(other, load), 2)
  const latency = (share: 'p50Ms' | 'p99Ms') =>
    roundTo(
      of(name, load, (measured) => measured[share]),
      2,
    )
  const formatRatio = (value: number, digits: number) =>
    name === 'direct' || Number.isNaN(value) ? null : roundTo(value, digits)
  return {
    variant: name,
    'requests/s': Math.round(of(name, load, ({ perSecond }) => perSecond)),
    'p50 ms': latency('p50Ms'),
    'p99 ms': latency('p99Ms'),
    'added p50 ms': roundTo(addedP50Ms(name, load), 2),
    'CPU µs': formatRatio(cpu, 1),
    'proxy µs': formatRatio(medianMicroseconds(name, load, 'proxy'), 1),
    '× lower bound': ratio('express-http-proxy'),
    '× tutorial': ratio('tutorial wiring'),
    '× Fastify': ratio(fastifyName),
  }
}

function addedP50Ms(name: string, load: string): number {
  const p50Ms = (variant: string) => of(variant, load, (measured) => measured.p50Ms)
  return p50Ms(name) - p50Ms('direct')
}
