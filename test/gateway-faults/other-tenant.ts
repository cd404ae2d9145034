import { randomUUID } from 'node:crypto'
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** A tenant outside of the pressure. It sends requests at a steady rate; each must get a 200. */
export interface OtherTenant {
  readonly url: string
  readonly tenantId: string
  readonly key: string
}

export interface Observed {
  readonly traceIds: readonly string[]
  readonly p50Ms: number
  readonly p99Ms: number
  /** Responses and errors other than 200. */
  readonly failures: readonly string[]
}

const everyMs = 50
const timeoutMs = 15_000
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends requests while `during` runs. */
export async function observe(tenant: OtherTenant, during: Promise<unknown>): Promise<Observed> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  during.then(end, end)
  const traceIds: string[] = []
  const sent: Promise<{ ms: number; failure?: string }>[] = []
  while (!isOver) {
    const traceId = randomUUID()
    traceIds.push(traceId)
    sent.push(sendRequest(tenant, traceId))
    await delay(everyMs)
  }
  const results = await Promise.all(sent)
  const latencies = results.map(({ ms }) => ms).sort((a, b) => a - b)
  const quantile = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN
  return {
    traceIds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    failures: results.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
  }
}

function sendRequest({ url, tenantId, key }: OtherTenant, traceId: string): Promise<{ ms: number; failure?: string }> {
  const startedAt = performance.now()
  const headers = { authorization: `Bearer ${key}`, 'tenant-id': tenantId, 'trace-id': traceId }
  return new Promise((resolve) => {
    const done = (failure?: string) =>
      resolve({ ms: performance.now() - startedAt, ...(failure === undefined ? {} : { failure }) })
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

export function closeObserver(): void {
  agent.destroy()
}
