/**
 * The load generator of `npm run bench payments`, a separate process. Payments are due at even intervals, whether or
 * not earlier ones have their responses (open model). Latency counts from the due time.
 */
import { serveParent } from '../measure/child-process.ts'
import { percentile } from '../measure/sample-statistics.ts'
import { atEvenIntervals } from './even-intervals.ts'
import { post } from './http-post.ts'

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
  await atEvenIntervals(perSecond, endsAt, (dueAt) => pending.push(pay(dueAt)))
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
