/**
 * What a revocation costs, and what it is worth: keys in use on two gateways are deleted, and whatever is accepted after the answer is
 * counted.
 *
 *   pnpm bench revocation [--revocations 200] [--lanes 4] [--rest-ms 20]
 *
 * Half of the revocations happen while RabbitMQ cannot be reached. Each key is used on both gateways, from before its deletion until
 * after it, with a rest between two uses (0: none, which saturates a machine of few cores). Deletions and uses are timed under that load,
 * at the caller; the uses are what to hold the deletions against on a machine that is busy. The rate limits are lifted.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { freePorts } from '@payments/devkit/ports'
import { brokerWay } from '@payments/testing/broker-way'
import { constellation } from '@payments/testing/constellation'
import { createTally, percentile, revoke } from './revocation-load.mjs'

const { values } = parseArgs({
  options: {
    revocations: { type: 'string', default: '200' },
    lanes: { type: 'string', default: '4' },
    'rest-ms': { type: 'string', default: '20' },
  },
})
const half = Math.ceil(Number(values.revocations) / 2)
const deleteP99MsMax = 50

const lifted = String(1_000_000_000)
const env = {
  REQUESTS_PER_SECOND_PER_KEY: lifted,
  REQUEST_BURST_PER_KEY: lifted,
  REQUESTS_PER_SECOND_PER_TENANT: lifted,
  REQUEST_BURST_PER_TENANT: lifted,
}
const way = await brokerWay((await freePorts(1))[0])
const platform = await constellation({ amqpUrl: way.url, env })
try {
  const gateways = [platform.gatewayUrl, (await platform.addGateway()).url]
  const tenants = []
  for (let lane = 0; lane < Number(values.lanes); lane += 1) tenants.push(await tenant(gateways[lane % 2]))
  const restMs = Number(values['rest-ms'])
  const run = (count, tally) => revoke({ gateways, tenants, count, taken: ['delete'], restMs }, tally)
  await run(tenants.length * 5)
  const [withBroker, without] = [createTally(), createTally()]
  await run(half, withBroker)
  await way.cut()
  await run(half, without)
  await way.mend()
  print({ 'RabbitMQ up': withBroker, 'RabbitMQ down': without })
} finally {
  await platform.stop()
  await way.cut()
}
process.exit()

async function tenant(home) {
  const { stdout } = await platform.payctl('tenant', 'create', '--name', 'Bench', '--json')
  const { tenant_id: id, roles, api_key: key } = JSON.parse(stdout)
  return { id, bearer: key.value, home, viewerRole: roles.find(({ name }) => name === 'viewer').id }
}

function print(tallies) {
  const [{ model }] = cpus()
  const load = loadavg().map((one) => one.toFixed(1))
  console.log(`Node ${process.version}, ${cpus().length} × ${model}, load ${load.join(' ')}`)
  const all = createTally()
  for (const one of Object.values(tallies)) {
    all.revocations += one.revocations
    all.requests += one.requests
    all.unavailable += one.unavailable
    all.acceptedAfter.push(...one.acceptedAfter)
    all.answerMs.push(...one.answerMs)
    all.useMs.push(...one.useMs)
  }
  const row = ({ revocations, requests, unavailable, acceptedAfter, answerMs, useMs }) => ({
    replicas: 2,
    revocations,
    requests,
    'accepted after the answer': acceptedAfter.length,
    'answered 503': unavailable,
    'DELETE p50 ms': Number(percentile(answerMs, 0.5).toFixed(1)),
    'DELETE p99 ms': Number(percentile(answerMs, 0.99).toFixed(1)),
    'use p50 ms': Number(percentile(useMs, 0.5).toFixed(1)),
    'use p99 ms': Number(percentile(useMs, 0.99).toFixed(1)),
  })
  console.table(
    Object.fromEntries(Object.entries({ ...tallies, together: all }).map(([name, one]) => [name, row(one)])),
  )
  if (all.acceptedAfter.length > 0) process.exitCode = 1
  if (percentile(all.answerMs, 0.99) > deleteP99MsMax) console.log(`DELETE p99 is above ${deleteP99MsMax} ms.`)
}
