/**
 * Cost of the authorization leases of a gateway, and the number of gateways that a replica of a source serves.
 *
 *   npm run bench leases -- [--gateways 100] [--seconds 10] [--subjects 5] [--rounds 3]
 *
 * One real api-key and one real rbac with their databases. Another process simulates gateways that send 20 reads a
 * second to each source; those to api-key report the requests of some subjects. CPU is that of the source, of its
 * database sessions, and of the simulating process. `replica full at` is the number of gateways at which a replica of
 * the source uses 70 % of a core, by the cost at the largest number.
 */
import { withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack } from '@payments/testing/platform/local-stack'
import type { LeaseLoad, LeaseLoadResult } from './load/lease-load.ts'
import { benchOptions } from './measure/bench-options.ts'
import { startChild } from './measure/child-process.ts'
import { cpuTimes, spentMs } from './measure/cpu-time.ts'
import { withPlatformCpu } from './measure/platform-cpu.ts'
import { machineDescription, percentile, roundTo } from './measure/sample-statistics.ts'

const { gateways, seconds, subjects, rounds } = benchOptions({ gateways: 100, seconds: 10, subjects: 5, rounds: 3 })
const usedShareMax = 0.7
/** Of a gateway, to both sources. */
const readsPerSecond = 40
const sourceNames = ['api-key', 'rbac'] as const
const numbers = [...new Set([1, Math.ceil(gateways / 10), gateways])]

const stack = await startTestStack()
const load = await startChild<object, LeaseLoad, LeaseLoadResult>('load/lease-load')
try {
  const sources = sourceNames.map((name) => ({
    name,
    url: `http://127.0.0.1:${stack.ports[name]}`,
    key: stack.edgeKey('gateway', name),
  }))
  const send = (number: number, forSeconds: number) =>
    load.request({ sources, gateways: number, subjects, seconds: forSeconds })
  // V8 compiles, and sessions open.
  await send(gateways, seconds)
  const rows = []
  for (let round = 0; round < rounds; round += 1) {
    for (const number of numbers) rows.push({ round, gateways: number, ...(await measure(number, send)) })
  }
  console.log(machineDescription())
  console.table(rows)
} finally {
  await load.end()
  await stack.stop()
}
process.exit()

async function measure(number: number, send: (number: number, forSeconds: number) => Promise<LeaseLoadResult>) {
  const before = cpuTimes([load.pid])
  const { result, cpu } = await withClient(testAddress('TEST_DATABASE_URL'), (administrator) =>
    withPlatformCpu(stack, administrator, () => send(number, seconds)),
  )
  // A busy machine sends fewer reads: the cost is that of a gateway that sends all of its reads.
  const perGateway = (ms: number) => (ms / 1_000 / result.reads) * readsPerSecond
  const measureCores = (name: string) => perGateway(cpu.get(name) ?? 0)
  const parts = sourceNames.flatMap((name) => [name, `PostgreSQL, ${name}`])
  const gatewayPart = perGateway(spentMs(before, cpuTimes([load.pid])))
  const total = parts.reduce((sum, name) => sum + measureCores(name), gatewayPart)
  return {
    'reads/s': Math.round(result.reads / seconds),
    failed: result.failures,
    'p50 ms': roundTo(percentile(result.readMs, 0.5), 1),
    'p99 ms': roundTo(percentile(result.readMs, 0.99), 1),
    ...Object.fromEntries(parts.map((name) => [`${name} mcores`, roundTo(measureCores(name) * 1_000, 2)])),
    'gateway mcores': roundTo(gatewayPart * 1_000, 2),
    'sum mcores': roundTo(total * 1_000, 2),
    'replica full at': Math.floor(usedShareMax / Math.max(...sourceNames.map(measureCores))),
  }
}
