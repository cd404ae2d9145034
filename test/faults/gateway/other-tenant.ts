import { randomUUID } from 'node:crypto'
import { Agent, get } from 'node:http'

/** A tenant outside of the pressure, whose requests must each get a 200. */
export interface OtherTenant {
  readonly url: string
  readonly tenantId: string
  readonly key: string
}

export interface Sent {
  readonly traceId: string
  readonly ms: number
  /** A response or an error other than 200. */
  readonly failure: string | undefined
}

const timeoutMs = 15_000
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Never throws. */
export function sendRequest({ url, tenantId, key }: OtherTenant): Promise<Sent> {
  const traceId = randomUUID()
  const startedAt = performance.now()
  const headers = { authorization: `Bearer ${key}`, 'tenant-id': tenantId, 'trace-id': traceId }
  return new Promise((resolve) => {
    const done = (failure?: string) => resolve({ traceId, ms: performance.now() - startedAt, failure })
    const sent = get(
      `${url}/v1/payment-proxy/transactions?limit=1`,
      { agent, headers, timeout: timeoutMs },
      (reply) => {
        reply.resume()
        reply.once('close', () => done(reply.statusCode === 200 && reply.complete ? undefined : `${reply.statusCode}`))
      },
    )
    sent.once('timeout', () => sent.destroy(new Error(`no response within ${timeoutMs} ms`)))
    sent.once('error', (error) => done(error.message))
  })
}

export function measureLatencies(sent: readonly Sent[]): { readonly p50Ms: number; readonly p99Ms: number } {
  const latencies = sent.map(({ ms }) => ms).sort((a, b) => a - b)
  const quantile = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

export async function closeConnections(): Promise<void> {
  agent.destroy()
}
