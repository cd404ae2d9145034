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
import type { LoadRequest, LoadResult } from './load/http-load.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { type Child, startChild } from './measure/child-process.ts'
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

const [brokerPort = 0] = await freePorts(1)
const broker = await tcpProxy(brokerPort)
const stack = await startTestStack({ amqpUrl: broker.url, env: unlimitedRates })
try {
  const second = await stack.addApiKey()
  const other = await stack.addGateway({ API_KEY_URL: second.url })
  const gateways = [stack.gatewayUrl, other.url]
  const tenants: RevocationTenant[] = []
  for (let worker = 0; worker < options.workers; worker += 1)
    tenants.push(await createTenant(gateways[worker % gateways.length] ?? stack.gatewayUrl))
  const run = (count: number, methods: RevocationRun['methods'] = ['delete'], through: readonly string[] = gateways) =>
    revoke({
      gateways: through,
      tenants,
      count,
      ...(methods === undefined ? {} : { methods }),
      pauseMs: options['pause-ms'],
    })
  await run(tenants.length * warmUpPerWorker)
  const load = await startLoads(gateways, tenants)
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
} finally {
  await stack.stop()
  await broker.cut()
}
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

type Run = (count: number, methods?: RevocationRun['methods'], through?: readonly string[]) => Promise<Tally>

async function raceFaults(pids: readonly number[], run: Run) {
  const count = options['fault-revocations']
  const paused = await withPauses(pids, () => run(count))
  const [toApiKey, toRbac] = await Promise.all(
    (['api-key', 'rbac'] as const).map((name) => slowWay(`http://127.0.0.1:${stack.ports[name]}`, slowMs / 2)),
  )
  try {
    const slow = await stack.addGateway({ API_KEY_URL: toApiKey?.url ?? '', RBAC_URL: toRbac?.url ?? '' })
    const slowly = await run(count, undefined, [stack.gatewayUrl, slow.url])
    print({ 'processes paused': paused, 'sources slow': slowly })
    await slow.replica.stop()
  } finally {
    await Promise.all([toApiKey?.close(), toRbac?.close()])
  }
}

/** Saturates both gateways together, then loads them with half as many requests until `end`, which returns the rate. */
async function startLoads(gateways: readonly string[], tenants: readonly RevocationTenant[]) {
  const generators = await Promise.all(
    gateways.map(async (url) => ({ url, child: await startChild<object, LoadRequest, LoadResult>('load/http-load') })),
  )
  const all = (seconds: number, perSecond?: number) =>
    Promise.all(generators.map(({ url, child }) => sendLoad(child, url, tenants[0], { seconds, perSecond })))
  const seconds = options['saturation-seconds']
  await all(seconds)
  const saturated = (await all(seconds)).reduce((sum, { requests }) => sum + requests, 0) / seconds
  const perGateway = Math.round(saturated / 2 / gateways.length)
  console.log(`saturation: ${Math.round(saturated)} requests/s on both gateways`)
  let isOver = false
  let requests = 0
  const startedAt = performance.now()
  const loading = (async () => {
    while (!isOver) for (const result of await all(1, perGateway)) requests += result.requests
  })()
  return {
    async end(): Promise<number> {
      isOver = true
      await loading
      const perSecond = Math.round((requests * 1_000) / (performance.now() - startedAt))
      for (const { child } of generators) await child.end()
      return perSecond
    },
  }
}

function sendLoad(
  child: Child<object, LoadRequest, LoadResult>,
  url: string,
  tenant: RevocationTenant | undefined,
  { seconds, perSecond }: { seconds: number; perSecond: number | undefined },
): Promise<LoadResult> {
  if (tenant === undefined) throw new Error('the load needs a tenant')
  const headers = { Authorization: `Bearer ${tenant.bearer}`, 'Tenant-ID': tenant.id }
  const target = { port: Number(new URL(url).port), path: usedPath, headers, connections: loadConnections, seconds }
  return child.request(perSecond === undefined ? target : { ...target, perSecond })
}

async function createTenant(homeUrl: string): Promise<RevocationTenant> {
  const { stdout } = await stack.payctl('tenant', 'create', '--name', 'Bench', '--json', '--show-key')
  const created = JSON.parse(stdout) as {
    tenant_id: string
    roles: { id: string; name: string }[]
    api_key: { value: string }
  }
  const viewer = created.roles.find(({ name }) => name === 'viewer')
  if (viewer === undefined) throw new Error('the tenant has no role viewer')
  const people = createPeople(stack, created.tenant_id)
  return { id: created.tenant_id, bearer: created.api_key.value, homeUrl, viewerRole: viewer.id, people }
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
