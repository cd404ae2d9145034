/**
 * Resident memory of the gateway after each of many keys was used once.
 *
 *   npm run bench memory -- [--keys 100000] [--tenants 100000] [--connections 50]
 *                          [--semi-space-mb 0] [--old-space-mb 0]
 *
 * The gateway is the real one, in the local stack. One stub replaces api-key, rbac and payment-proxy, because creating
 * 100 000 keys would take too long. Memory is the resident set that the kernel reports, without a forced collection.
 */
import { Agent, request } from 'node:http'
import { startTestStack } from '@payments/testing/platform/local-stack'
import { buildGatewayFlags, heapOptions } from './gateways/flags.ts'
import { buildUuid, keySpace, startSources } from './gateways/memory-sources.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { residentMemory } from './measure/resident-memory.ts'
import { machineDescription } from './measure/sample-statistics.ts'

const options = benchOptions({ keys: 100_000, tenants: 100_000, connections: 50, ...heapOptions })
const { keys, tenants, connections } = options
const rssMbMax = 300
const requestTimeoutMs = 30_000
const path = '/v1/payment-proxy/transactions'
const { formatKey, formatTenantId } = keySpace(tenants)

const url = await startSources(keys, tenants)
const stack = await startTestStack({
  gatewayFlags: buildGatewayFlags(options),
  env: { API_KEY_URL: url, RBAC_URL: url, PAYMENT_PROXY_URL: url, ...unlimitedRates },
})
try {
  console.log(`${machineDescription()}; ${tenants} tenants`)
  let rssMb = report('started')
  let used = 0
  for (const share of [0.01, 0.1, 0.25, 0.5, 1]) {
    const count = Math.floor(keys * share)
    await useKeys(used, count)
    used = count
    rssMb = report(`${count} keys used`)
  }
  if (rssMb > rssMbMax) {
    console.log(`The gateway uses more than ${rssMbMax} MB.`)
    process.exitCode = 1
  }
} finally {
  await stack.stop()
}
process.exit()

async function useKeys(from: number, to: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let next = from
  const worker = async () => {
    while (next < to) {
      next += 1
      await useKey(agent, next - 1)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}

function useKey(agent: Agent, number: number): Promise<void> {
  const headers = {
    Authorization: `Bearer ${formatKey(number)}`,
    'Tenant-ID': formatTenantId(number),
    'Trace-ID': buildUuid('trace', number),
  }
  return new Promise((resolve, reject) => {
    const call = request(stack.gatewayUrl + path, { headers, agent, timeout: requestTimeoutMs }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the response to key ${number} was ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    call.on('timeout', () => call.destroy(new Error('the request timed out')))
    call.on('error', reject).end()
  })
}

/** Prints and returns the resident memory, in MB. */
function report(stage: string): number {
  const { rssMb, peakMb } = residentMemory(stack.pid('gateway'))
  console.log(`${stage}: RSS ${rssMb} MB, peak ${peakMb} MB`)
  return rssMb
}
