/**
 * The load generator of `npm run bench event`, a separate process. With `perSecond`, calls are due at even intervals,
 * whether or not earlier ones have their responses (open model). With `connections`, each sends its next call when the
 * response arrives (closed model), and a call is due when it is sent.
 */
import { serveParent } from '../measure/child-process.ts'
import { machineMs } from '../measure/sample-statistics.ts'
import { atEvenIntervals } from './even-intervals.ts'
import { post } from './http-post.ts'

/** The request that creates a transaction. */
export interface EventCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface EventPace {
  readonly seconds: number
  readonly perSecond?: number
  readonly connections?: number
  /** Calls at most. */
  readonly callsMax?: number
}

export interface EventRequest {
  readonly call: EventCall
  readonly pace: EventPace
}

/** A created transaction. Times on the clock of the machine. */
interface AcceptedCall {
  readonly id: string
  readonly dueMs: number
  readonly respondedMs: number
}

export interface EventResult {
  readonly sent: number
  readonly accepted: readonly AcceptedCall[]
  /** How often each other status was received; `none` is no response. */
  readonly failures: Readonly<Record<string, number>>
}

serveParent({}, load)

async function load({ call, pace }: EventRequest): Promise<EventResult> {
  const accepted: AcceptedCall[] = []
  const failures: Record<string, number> = {}
  let sent = 0
  const clockOffsetMs = machineMs() - performance.now()
  const send = async (dueAt: number) => {
    sent += 1
    const { status, text } = await post(call.url, call.headers, call.body)
    const respondedMs = machineMs()
    if (status === '201') {
      const { id } = JSON.parse(text) as { id: string }
      accepted.push({ id, dueMs: dueAt + clockOffsetMs, respondedMs })
    } else failures[status] = (failures[status] ?? 0) + 1
  }
  const { seconds, perSecond, connections = 1, callsMax = Number.POSITIVE_INFINITY } = pace
  const endsAt = performance.now() + seconds * 1_000
  if (perSecond === undefined) {
    const loop = async () => {
      while (sent < callsMax && performance.now() < endsAt) await send(performance.now())
    }
    await Promise.all(Array.from({ length: connections }, loop))
  } else {
    const pending: Promise<void>[] = []
    await atEvenIntervals(perSecond, endsAt, (dueAt) => pending.push(send(dueAt)))
    await Promise.all(pending)
  }
  return { sent, accepted, failures }
}
