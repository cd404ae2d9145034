/**
 * Latency and effect of a revocation: keys in use on two gateways are deleted, and requests that are accepted after the
 * response are counted.
 *
 *   npm run bench revocation -- [--revocations 200] [--workers 4] [--pause-ms 20]
 *
 * RabbitMQ is unreachable during half of the revocations. Each key is used on both gateways from before its deletion
 * until after it, with a pause between two requests; without a pause the load saturates a machine of few cores. The
 * client times deletions and uses under that load: compare both on a busy machine. Rate limits reject nothing.
 */
import { freePorts } from '@payments/devkit/ports'
import { startTestStack } from '@payments/testing/local-stack'
import { tcpProxy } from '@payments/testing/tcp-proxy'
import { benchOptions } from './bench-options.ts'
import { createTally, revoke, type Tally } from './revocation-load.ts'
import type { RevocationTenant } from './revocation-methods.ts'
import { machineDescription, percentile, rounded } from './sample-statistics.ts'
import { unlimitedRates } from './unlimited-rates.ts'

const options = benchOptions({ revocations: 200, workers: 4, 'pause-ms': 20 })
const deleteP99MsMax = 50
const warmUpPerWorker = 5

const [brokerPort = 0] = await freePorts(1)
const broker = await tcpProxy(brokerPort)
const stack = await startTestStack({ amqpUrl: broker.url, env: unlimitedRates })
try {
  const gateways = [stack.gatewayUrl, (await stack.addGateway()).url]
  const tenants: RevocationTenant[] = []
  for (let worker = 0; worker < options.workers; worker += 1)
    tenants.push(await createTenant(gateways[worker % gateways.length] ?? stack.gatewayUrl))
  const run = (count: number) => revoke({ gateways, tenants, count, methods: ['delete'], pauseMs: options['pause-ms'] })
  await run(tenants.length * warmUpPerWorker)
  const half = Math.ceil(options.revocations / 2)
  const reachable = await run(half)
  await broker.cut()
  const unreachable = await run(half)
  await broker.restore()
  print({ 'RabbitMQ up': reachable, 'RabbitMQ down': unreachable })
} finally {
  await stack.stop()
  await broker.cut()
}
process.exit()

async function createTenant(homeUrl: string): Promise<RevocationTenant> {
  const { stdout } = await stack.payctl('tenant', 'create', '--name', 'Bench', '--json')
  const created = JSON.parse(stdout) as {
    tenant_id: string
    roles: { id: string; name: string }[]
    api_key: { value: string }
  }
  const viewer = created.roles.find(({ name }) => name === 'viewer')
  if (viewer === undefined) throw new Error('the tenant has no role viewer')
  return { id: created.tenant_id, bearer: created.api_key.value, homeUrl, viewerRole: viewer.id }
}

function print(tallies: Readonly<Record<string, Tally>>): void {
  const total = sumOf(Object.values(tallies))
  console.log(machineDescription())
  console.table(Object.fromEntries(Object.entries({ ...tallies, total }).map(([name, tally]) => [name, rowOf(tally)])))
  if (total.acceptedAfter.length > 0) process.exitCode = 1
  if (percentile(total.revokeMs, 0.99) > deleteP99MsMax) console.log(`DELETE p99 is above ${deleteP99MsMax} ms.`)
}

function sumOf(tallies: readonly Tally[]): Tally {
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

function rowOf({ revocations, requests, unavailable, acceptedAfter, revokeMs, useMs }: Tally) {
  return {
    gateways: 2,
    revocations,
    requests,
    'accepted after the response': acceptedAfter.length,
    unavailable,
    'DELETE p50 ms': rounded(percentile(revokeMs, 0.5), 1),
    'DELETE p99 ms': rounded(percentile(revokeMs, 0.99), 1),
    'use p50 ms': rounded(percentile(useMs, 0.5), 1),
    'use p99 ms': rounded(percentile(useMs, 0.99), 1),
  }
}
