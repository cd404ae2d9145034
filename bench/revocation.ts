/**
 * Latency and effect of a revocation on two gateways: keys are deleted, and access is taken from people in five ways.
 * Requests that are accepted after the response are counted.
 *
 *   npm run bench revocation -- [--revocations 200] [--person-races 500] [--workers 4] [--pause-ms 20]
 *   [--saturation-seconds 5] [--fault-revocations 100]
 *
 * Each gateway has its own replica of api-key. Another load keeps both gateways at half of their saturation.
 * RabbitMQ is unreachable during half of the revocations. Then people are raced, each with a cookie and a JWT, and keys
 * are deleted during two faults. bench/README.md has the rest.
 */
import { freePorts } from '@payments/devkit/machine/ports'
import { tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { startTestStack } from '@payments/testing/platform/local-stack'
import type { Generator } from './load/paced-cpu.ts'
import { buildHeaders } from './load/request.ts'
import { createTenant } from './load/tenant.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { type Cleanup, startChild, withCleanup } from './measure/child-process.ts'
import { machineDescription, percentile, roundTo } from './measure/sample-statistics.ts'
import { slowWay, withPauses } from './revocation/faults.ts'
import { createTally, everyPersonMethod, type RevocationRun, revoke, type Tally } from './revocation/load.ts'
import { type RevocationTenant, usedPath } from './revocation/methods.ts'
import { createPeople } from './revocation/person-methods.ts'

const options = benchOptions({
  revocations: 200,
  'person-races': 500,
  workers: 4,
  'pause-ms': 20,
  'saturation-seconds': 5,
  'fault-revocations': 100,
})
/** The lease and 35 ms. */
const deleteP99MsMax = 135
/** Of a call to a slow source. */
const slowMs = 70
const loadConnections = 25
const warmUpPerWorker = 5

type Run = (count: number, methods?: RevocationRun['methods'], through?: readonly string[]) => Promise<Tally>

const [brokerPort = 0] = await freePorts(1)
const broker = await tcpProxy(brokerPort)
const stack = await startTestStack({ amqpUrl: broker.url, env: unlimitedRates })
await withCleanup(async (cleanups) => {
  cleanups.push(
    () => broker.cut(),
    () => stack.stop(),
  )
  const second = await stack.addApiKey()
  const other = await stack.addGateway({ API_KEY_URL: second.url })
  const gateways = [stack.gatewayUrl, other.url]
  const tenants: RevocationTenant[] = []
  for (let worker = 0; worker < options.workers; worker += 1)
    tenants.push(await createRevocationTenant(gateways[worker % gateways.length] ?? stack.gatewayUrl))
  const run: Run = (count, methods = ['delete'], through = gateways) =>
    revoke({ gateways: through, tenants, count, methods, pauseMs: options['pause-ms'] })
  await run(tenants.length * warmUpPerWorker)
  const load = await startLoads(cleanups, gateways, tenants[0] as RevocationTenant)
  const half = Math.ceil(options.revocations / 2)
  const reachable = await run(half)
  await broker.cut()
  const unreachable = await run(half)
  await broker.restore()
  console.log(`load during the revocations: ${await load.end()} requests/s on both gateways`)
  print({ 'RabbitMQ up': reachable, 'RabbitMQ down': unreachable })
  await racePeople(run)
  const pids = [stack.pid('gateway'), stack.pid('api-key'), other.replica.pid('gateway'), second.replica.pid('api-key')]
  await raceFaults(pids, run)
})
process.exit()

/** Half of the races of each way run while RabbitMQ is unreachable. */
async function racePeople(run: Run) {
  const half = Math.ceil(options['person-races'] / 2)
  const tallies: Record<string, Tally> = {}
  for (const method of everyPersonMethod) {
    const reachable = await run(half, [method])
    await broker.cut()
    const unreachable = await run(half, [method])
    await broker.restore()
    const tally = sumTallies([reachable, unreachable])
    console.log(`${method}: ${tally.revocations} races, ${tally.acceptedAfter.length} accepted after the response`)
    tallies[method] = tally
  }
  print(tallies)
}

async function raceFaults(pids: readonly number[], run: Run) {
  const count = options['fault-revocations']
  const paused = await withPauses(pids, () => run(count))
  const slowUrl = (port: number) => slowWay(port, slowMs / 2)
  const sources = { API_KEY_URL: await slowUrl(stack.ports['api-key']), RBAC_URL: await slowUrl(stack.ports.rbac) }
  const slow = await stack.addGateway(sources)
  print({ 'processes paused': paused, 'sources slow': await run(count, undefined, [stack.gatewayUrl, slow.url]) })
}

/** Saturates both gateways together, then loads them with half as many requests until `end`, which returns the rate. */
async function startLoads(cleanups: Cleanup[], gateways: readonly string[], tenant: RevocationTenant) {
  const headers = buildHeaders({ bearer: tenant.bearer, tenantId: tenant.id })
  const loads = await Promise.all(
    gateways.map(async (url) => {
      const generator: Generator = await startChild(cleanups, 'load/http-load')
      const request = { port: Number(new URL(url).port), path: usedPath, headers, connections: loadConnections }
      return (pace: { seconds: number; perSecond?: number }) => generator.request({ ...request, ...pace })
    }),
  )
  const all = async (pace: { seconds: number; perSecond?: number }) =>
    (await Promise.all(loads.map((load) => load(pace)))).reduce((sum, { requests }) => sum + requests, 0)
  const seconds = options['saturation-seconds']
  await all({ seconds })
  const saturated = (await all({ seconds })) / seconds
  const perSecond = Math.round(saturated / 2 / gateways.length)
  console.log(`saturation: ${Math.round(saturated)} requests/s on both gateways`)
  let isOver = false
  let requests = 0
  const startedAt = performance.now()
  const loading = (async () => {
    while (!isOver) requests += await all({ seconds: 1, perSecond })
  })()
  loading.catch(() => {}) // a run that fails ends the generators before it could be awaited
  return {
    async end(): Promise<number> {
      isOver = true
      await loading
      return Math.round((requests * 1_000) / (performance.now() - startedAt))
    },
  }
}

async function createRevocationTenant(homeUrl: string): Promise<RevocationTenant> {
  const { tenantId: id, credential, roles } = await createTenant(stack)
  return { id, bearer: credential.bearer, homeUrl, viewerRole: roles.viewer, people: createPeople(stack, id) }
}

function print(tallies: Readonly<Record<string, Tally>>): void {
  const total = sumTallies(Object.values(tallies))
  console.log(machineDescription())
  console.table(Object.fromEntries(Object.entries({ ...tallies, total }).map(([name, tally]) => [name, toRow(tally)])))
  if (total.acceptedAfter.length > 0) process.exitCode = 1
  if (percentile(total.revokeMs, 0.99) > deleteP99MsMax)
    console.log(`The p99 of a change is above ${deleteP99MsMax} ms.`)
}

function sumTallies(tallies: readonly Tally[]): Tally {
  const total = createTally()
  for (const tally of tallies) {
    total.revocations += tally.revocations
    total.requests += tally.requests
    total.unavailable += tally.unavailable
    total.acceptedAfter.push(...tally.acceptedAfter)
    total.revokeMs.push(...tally.revokeMs)
    total.useMs.push(...tally.useMs)
  }
  return total
}

function toRow({ revocations, requests, unavailable, acceptedAfter, revokeMs, useMs }: Tally) {
  return {
    gateways: 2,
    revocations,
    requests,
    'accepted after the response': acceptedAfter.length,
    unavailable,
    'change p50 ms': roundTo(percentile(revokeMs, 0.5), 1),
    'change p99 ms': roundTo(percentile(revokeMs, 0.99), 1),
    'use p50 ms': roundTo(percentile(useMs, 0.5), 1),
    'use p99 ms': roundTo(percentile(useMs, 0.99), 1),
  }
}
