/**
 * Resident memory of the gateway after each of many keys was used once.
 *
 *   npm run bench memory -- [--keys 100000] [--tenants 100000] [--connections 50]
 *
 * The gateway is the real one, in the local stack. One stub replaces api-key, rbac and payment-proxy, because creating
 * 100 000 keys would take too long. Memory is the resident set that the kernel reports, without a forced collection.
 */
import { startTestStack } from '@payments/testing/platform/local-stack'
import { keySpace, startSources } from './gateways/memory-sources.ts'
import { send } from './load/request.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { residentMemory } from './measure/resident-memory.ts'
import { machineDescription } from './measure/sample-statistics.ts'

const { keys, tenants, connections } = benchOptions({ keys: 100_000, tenants: 100_000, connections: 50 })
const rssMbMax = 300
const path = '/v1/payment-proxy/transactions'
const { formatKey, formatTenantId } = keySpace(tenants)

const url = await startSources(keys, tenants)
const stack = await startTestStack({
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
  let next = from
  const worker = async () => {
    while (next < to) {
      const number = next
      next += 1
      const credential = { bearer: formatKey(number), tenantId: formatTenantId(number) }
      const { status } = await send(stack.gatewayUrl, { path, timeoutMs: 30_000, ...credential })
      if (status !== 200) throw new Error(`the response to key ${number} was ${status}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

/** Prints and returns the resident memory, in MB. */
function report(stage: string): number {
  const { rssMb, peakMb } = residentMemory(stack.pid('gateway'))
  console.log(`${stage}: RSS ${rssMb} MB, peak ${peakMb} MB`)
  return rssMb
}
