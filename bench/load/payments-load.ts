/**
 * The load generator of `npm run bench payments`, a process of its own. Payments are due at even intervals, whether or
 * not earlier ones have their responses (open model). Latency counts from the due time.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { serveParent } from '../measure/child-process.ts'
import { percentile } from '../measure/sample-statistics.ts'

export interface PaymentsRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly perSecond: number
  readonly seconds: number
  /** The body of each payment, without its amount. */
  readonly body: object
}

export interface PaymentsResult {
  readonly sent: number
  /** How often each status was received; `none` is no response. */
  readonly statuses: Readonly<Record<string, number>>
  /** Transactions of the 201 responses. */
  readonly authorized: readonly { readonly id: string; readonly amount: number }[]
  /** Responses within the time of the load, per second. */
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const timeoutMs = 30_000
const agent = new Agent({ keepAlive: true, maxSockets: 512 })

serveParent({}, load)

async function load({ url, headers, perSecond, seconds, body }: PaymentsRequest): Promise<PaymentsResult> {
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  const authorized: { id: string; amount: number }[] = []
  const pending: Promise<void>[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  let punctual = 0
  const pay = async (dueAt: number) => {
    const amount = 1_000 + Math.floor(Math.random() * 9_000)
    const { status, text } = await post(url, headers, JSON.stringify({ ...body, amount }))
    const now = performance.now()
    latencies.push(now - dueAt)
    if (now <= endsAt) punctual += 1
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === '201') authorized.push({ id: (JSON.parse(text) as { id: string }).id, amount })
  }
  await new Promise<void>((resolve) => {
    let next = startedAt
    const tick = () => {
      const now = performance.now()
      for (; next <= now && next < endsAt; next += 1_000 / perSecond) pending.push(pay(next))
      if (now >= endsAt) resolve()
      else setTimeout(tick, 1)
    }
    tick()
  })
  await Promise.all(pending)
  return {
    sent: pending.length,
    statuses,
    authorized,
    perSecond: punctual / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}

function post(
  url: string,
  headers: PaymentsRequest['headers'],
  body: string,
): Promise<{ status: string; text: string }> {
  const own = { 'Trace-ID': randomUUID(), 'Idempotency-Key': randomUUID(), 'Content-Length': Buffer.byteLength(body) }
  return new Promise((resolve) => {
    const none = () => resolve({ status: 'none', text: '' })
    const outgoing = request(url, { method: 'POST', agent, headers: { ...headers, ...own }, timeout: timeoutMs })
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: String(response.statusCode), text: Buffer.concat(chunks).toString() }))
      response.on('error', none)
    })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', none)
    outgoing.end(body)
  })
}
