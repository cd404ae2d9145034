/**
 * The load generator of `npm run bench event`, `payments` and `resources`, a separate process. With `perSecond`, calls
 * are due at even intervals, whether or not earlier ones have their responses (open model). With `connections`, each
 * sends its next call when the response arrives (closed model), and a call is due when it is sent.
 */
import { randomUUID } from 'node:crypto'
import { serveParent } from '../measure/child-process.ts'
import { machineMs } from '../measure/sample-statistics.ts'
import { atEvenIntervals } from './even-intervals.ts'
import { type Credential, send } from './request.ts'

export interface TransactionsRequest {
  readonly gatewayUrl: string
  /** Of the operation that creates the transactions. */
  readonly path: string
  readonly credential: Credential
  /** The body of each call, without its amount. */
  readonly body: object
  readonly pace: Pace
}

export interface Pace {
  readonly seconds: number
  readonly perSecond?: number
  readonly connections?: number
  /** Calls at most. */
  readonly callsMax?: number
}

interface CreatedTransaction {
  readonly id: string
  readonly amount: number
  /** On the clock of the machine. */
  readonly dueMs: number
  /** From the due time to the response. */
  readonly latencyMs: number
}

export interface TransactionsResult {
  readonly sent: number
  /** Responses until the end of the load. */
  readonly punctual: number
  /** Of every call, from its due time to its response, or until it was lost. */
  readonly latenciesMs: readonly number[]
  /** Of the 201 responses. */
  readonly created: readonly CreatedTransaction[]
  /** How often each other status was received; 0 is no response. */
  readonly failures: Readonly<Record<string, number>>
}

serveParent({}, load)

async function load({ gatewayUrl, path, credential, body, pace }: TransactionsRequest): Promise<TransactionsResult> {
  const created: CreatedTransaction[] = []
  const failures: Record<string, number> = {}
  const latenciesMs: number[] = []
  const { seconds, perSecond, connections = 1, callsMax = Number.POSITIVE_INFINITY } = pace
  const endsAt = performance.now() + seconds * 1_000
  let [sent, punctual] = [0, 0]
  const clockOffsetMs = machineMs() - performance.now()
  const create = async (dueAt: number) => {
    sent += 1
    const amount = 1_000 + Math.floor(Math.random() * 9_000)
    const call = { method: 'POST', path, body: { ...body, amount }, idempotencyKey: randomUUID(), timeoutMs: 30_000 }
    const response = await send(gatewayUrl, { ...call, ...credential })
    const { status, respondedAt } = response
    latenciesMs.push(respondedAt - dueAt)
    if (status !== 0 && respondedAt <= endsAt) punctual += 1
    if (status === 201) {
      const { id } = JSON.parse(response.body) as { id: string }
      created.push({ id, amount, dueMs: dueAt + clockOffsetMs, latencyMs: respondedAt - dueAt })
    } else failures[status] = (failures[status] ?? 0) + 1
  }
  if (perSecond === undefined) {
    const loop = async () => {
      while (sent < callsMax && performance.now() < endsAt) await create(performance.now())
    }
    await Promise.all(Array.from({ length: connections }, loop))
  } else {
    const pending: Promise<void>[] = []
    await atEvenIntervals(perSecond, endsAt, (dueAt) => pending.push(create(dueAt)))
    await Promise.all(pending)
  }
  return { sent, punctual, latenciesMs, created, failures }
}
