/**
 * CPU and latency of the gateway: a GET with an API key through the whole pipeline, beside other gateways in front of
 * the same upstream. README.md describes the variants and what counts.
 *
 * npm run bench gateway -- [--rounds 3] [--seconds 3] [--warm-up 50000] [--connections 50] [--per-second 400]
 * [--semi-space-mb 0] [--old-space-mb 0]
 */
import { setTimeout as delay } from 'node:timers/promises'
import { gatewayFlagsOf, heapOptions } from './gateways/flags.ts'
import { startVariants, type Variant, type VariantCpu, type Variants } from './gateways/variants.ts'
import type { LoadRequest, LoadResult } from './load/http-load.ts'
import { benchOptions } from './measure/bench-options.ts'
import { type Child, startChild, withCleanup } from './measure/child-process.ts'
import { spentMs } from './measure/cpu-time.ts'
import { machineDescription, median, rounded } from './measure/sample-statistics.ts'

interface Round {
  readonly perSecond: number
  readonly paced: LoadResult
  /** Reads of the authorization version of identity. */
  readonly identityReads: number
  readonly cpuMicroseconds: Readonly<Record<keyof VariantCpu | 'all', number>>
}

type Load = (variant: Variant, more: { seconds: number; perSecond?: number }) => Promise<LoadResult>

const options = benchOptions({
  rounds: 3,
  seconds: 3,
  'warm-up': 50_000,
  connections: 50,
  'per-second': 400,
  ...heapOptions,
})
const path = '/v1/payment-proxy/transactions/01920000-0000-7000-8000-000000000000'
const warmUpSecondsMax = 120
/** Audit records are shipped and stored after their responses. */
const settleMs = 1_000

await withCleanup(async (cleanups) => {
  const variants = await startVariants(cleanups, gatewayFlagsOf(options))
  const generator: Child<object, LoadRequest, LoadResult> = await startChild('load/http-load')
  cleanups.push(generator.end)
  const { connections, seconds } = options
  const load: Load = ({ port, headers }, more) =>
    generator.request({ port, path, headers: headers ?? variants.headers, connections, ...more })
  const results = new Map(variants.all.map(({ name }) => [name, [] as Round[]]))
  for (const variant of variants.all) await warmUp(variant, load)
  for (let round = 0; round < options.rounds; round += 1) {
    for (const variant of variants.all) {
      const before = await variants.identityReads()
      const measured = await measure(variant, load, seconds)
      const identityReads = (await variants.identityReads()) - before
      results.get(variant.name)?.push({ ...measured, identityReads })
    }
  }
  print(results, variants)
})
process.exit()

async function warmUp(variant: Variant, load: Load): Promise<void> {
  let requests = 0
  for (let seconds = 0; requests < options['warm-up'] && seconds < warmUpSecondsMax; seconds += 2)
    requests += (await load(variant, { seconds: 2 })).requests
  if (requests < options['warm-up']) console.log(`${variant.name}: warmed up with ${requests} requests only`)
}

async function measure(variant: Variant, load: Load, seconds: number): Promise<Omit<Round, 'identityReads'>> {
  const before = await variant.cpuTimes()
  const from = performance.now()
  const saturated = await load(variant, { seconds })
  const elapsedSeconds = (performance.now() - from) / 1_000
  await delay(settleMs)
  const after = await variant.cpuTimes()
  const paced = await load(variant, { seconds, perSecond: options['per-second'] })
  for (const { failures } of [saturated, paced]) {
    if (Object.keys(failures).length > 0)
      throw new Error(`${variant.name}: not every response was a 200: ${JSON.stringify(failures)}`)
  }
  const each = (part: keyof VariantCpu) => (spentMs(before[part], after[part]) * 1_000) / saturated.requests
  const cpu = {
    proxy: each('proxy'),
    others: each('others'),
    audit: each('audit'),
    broker: each('broker'),
    verification: each('verification'),
  }
  return {
    perSecond: saturated.requests / elapsedSeconds,
    paced,
    cpuMicroseconds: { ...cpu, all: Object.values(cpu).reduce((sum, one) => sum + one, 0) },
  }
}

function print(results: ReadonlyMap<string, readonly Round[]>, variants: Variants): void {
  const of = (name: string, pick: (round: Round) => number) => median((results.get(name) ?? []).map(pick))
  const cpuOf = (name: string, part: keyof Round['cpuMicroseconds'] = 'all') =>
    of(name, ({ cpuMicroseconds }) => cpuMicroseconds[part])
  const addedMs = (name: string, pick: (paced: LoadResult) => number) =>
    of(name, ({ paced }) => pick(paced)) - of('direct', ({ paced }) => pick(paced))
  const rows = [...results.keys()].map((name) => {
    const cpu = cpuOf(name)
    const added = (pick: (paced: LoadResult) => number) => rounded(addedMs(name, pick), 2)
    const counted = (value: number, digits: number) =>
      name === 'direct' || Number.isNaN(value) ? null : rounded(value, digits)
    return {
      variant: name,
      'requests/s': Math.round(of(name, ({ perSecond }) => perSecond)),
      'CPU µs/request': counted(cpu, 1),
      'proxy µs': counted(cpuOf(name, 'proxy'), 1),
      '× lower bound': counted(cpu / cpuOf('express-http-proxy'), 2),
      '× tutorial': counted(cpu / cpuOf('tutorial wiring'), 2),
      'added p50 ms': added(({ p50Ms }) => p50Ms),
      'added p99 ms': added(({ p99Ms }) => p99Ms),
    }
  })
  const { rounds, seconds, connections } = options
  console.log(machineDescription())
  console.log(
    `${rounds} rounds of ${seconds} s, ${connections} connections: saturated, and paced at ${options['per-second']}/s`,
  )
  console.table(rows)
  console.table(
    Object.fromEntries(
      (['proxy', 'others', 'audit', 'broker', 'verification', 'all'] as const).map((part) => [
        part,
        {
          'µs of a request through the gateway': rounded(cpuOf('gateway', part), 1),
          'with a session': rounded(cpuOf('gateway, session', part), 1),
        },
      ]),
    ),
  )
  const reads = (name: string) => (results.get(name) ?? []).reduce((sum, round) => sum + round.identityReads, 0)
  console.log(
    `leases of identity: ${reads('gateway')} reads for requests with the API key, ` +
      `${reads('gateway, session')} for requests with the session`,
  )
  const p50Ratio = addedMs('gateway', ({ p50Ms }) => p50Ms) / addedMs('express-http-proxy', ({ p50Ms }) => p50Ms)
  console.log(`added p50 of the gateway: ${rounded(p50Ratio, 1)} × that of the lower bound`)
  console.log(`gateway memory after the rounds: ${Math.round(variants.gatewayRssMb())} MB`)
}
