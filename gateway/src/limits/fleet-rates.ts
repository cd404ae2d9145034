import { hash, randomUUID } from 'node:crypto'
import { leaseBounds } from '@payments/contracts/endpoints/authorization-lease'
import { type Clock, processClock } from '../authorization/clock.ts'
import type { Report } from '../authorization/lease-client.ts'
import { createRateLimit, type RateLimit, type RateLimitPolicy } from './token-bucket.ts'

/**
 * **What it does.** Applies request rates to all replicas of the gateway together. No request waits for it.
 *
 * **Participants.** Each replica decides on its copy of a bucket (token-bucket.ts), where a request costs as many
 * tokens as there are live replicas. A *report* names the admitted requests; its reply replaces each copy by the shared
 * bucket, which api-key stores. A read for the lease of api-key takes it along (`takeReport`), else it is sent alone
 * after 100 ms.
 *
 * **Guarantees.** One report is in progress at a time, and each request is reported once at most.
 *
 * README.md has the figures and the outage of api-key.
 */
export interface FleetRates {
  /** Per API key and per user. */
  readonly credential: RateLimit
  readonly tenant: RateLimit
  /** The report for a call to api-key that is sent now, undefined if none is due. */
  takeReport(): Report | undefined
  state(): FleetState
  /** Sends no further report. */
  close(): void
}

export interface FleetState {
  /** Live replicas, this one included; the last known number during an outage. */
  readonly replicas: number
  /** False while reports fail. */
  readonly isShared: boolean
}

export interface FleetRatesOptions {
  /** Sends a report alone, and ends it. */
  readonly send: (report: Report) => void
  readonly credential: RateLimitPolicy
  readonly tenant: RateLimitPolicy
  /** Called when reports begin to fail, with the error, and when they succeed again. */
  readonly onChange: (error?: unknown) => void
  readonly clock?: Pick<Clock, 'monotonicMs' | 'after'>
}

/** Without a read for a lease, which takes the report along. */
const reportIntervalMs = 100
/** A replica without requests reports too, so that the others count it. */
const idleIntervalMs = 1_000
const pauseMs = 1_000

/** A rate limit with the requests that it admitted and that are not reported yet, by subject. */
interface CountedRate {
  readonly name: string
  readonly limit: RateLimit
  readonly admitted: Map<string, number>
}

export function createFleetRates(options: FleetRatesOptions): FleetRates {
  const { send, onChange, clock = processClock } = options
  const now = () => clock.monotonicMs()
  let state: FleetState = { replicas: 1, isShared: true }
  const schedule = createReportSchedule(clock, () => {
    const report = takeReport()
    if (report !== undefined) send(report)
  })
  const createBuckets = (policy: RateLimitPolicy) => createRateLimit(policy, { replicas: () => state.replicas, now })
  const credential = countAdmitted('credential', createBuckets(options.credential), schedule.hasten)
  const tenant = countAdmitted('tenant', createBuckets(options.tenant), schedule.hasten)
  const replica = randomUUID()

  const change = (next: FleetState, error?: unknown) => {
    const isChange = next.isShared !== state.isShared
    state = next
    if (isChange) onChange(error)
  }
  const takeReport = (): Report | undefined => {
    if (!schedule.mayReport()) return undefined
    // Tenants first: no tenant delays the bucket of another one by the number of its credentials.
    const tenants = listUnreported(tenant, leaseBounds.subjectsMax / 2)
    const counts = [...tenants, ...listUnreported(credential, leaseBounds.subjectsMax - tenants.length)]
    for (const { rate, subject } of counts) rate.admitted.delete(subject)
    schedule.beginReport(credential.admitted.size + tenant.admitted.size > 0)
    return {
      body: { replica, requests: counts.map(({ reported }) => reported) },
      succeed(reply) {
        schedule.endReport(0)
        if (reply === undefined) return
        change({ replicas: reply.replicas, isShared: true })
        for (const [at, { rate, subject }] of counts.entries()) {
          // The shared bucket does not have the requests that were admitted since the report was sent.
          const since = (rate.admitted.get(subject) ?? 0) * state.replicas
          const missing = Number(reply.full_in_seconds[at] ?? 0) * rate.limit.policy.perSecond
          rate.limit.settle(subject, missing + since)
        }
      },
      fail(error) {
        for (const { admitted } of [credential, tenant]) admitted.clear()
        schedule.endReport(pauseMs)
        change({ ...state, isShared: false }, error)
      },
    }
  }
  return { credential: credential.limit, tenant: tenant.limit, takeReport, state: () => state, close: schedule.close }
}

/** When a report is due. `sendAlone` is called when no call took the report along in time. */
function createReportSchedule(clock: Pick<Clock, 'monotonicMs' | 'after'>, sendAlone: () => void) {
  let unreportedSince: number | undefined
  let lastSentAt = clock.monotonicMs() - idleIntervalMs + reportIntervalMs
  let pausedUntil = 0
  let isInProgress = false
  let isClosed = false
  let timerAt = Number.POSITIVE_INFINITY

  const dueAt = () => {
    const intervalEndsAt =
      unreportedSince === undefined ? lastSentAt + idleIntervalMs : unreportedSince + reportIntervalMs
    return Math.max(intervalEndsAt, pausedUntil)
  }
  const isOpen = () => !isClosed && !isInProgress
  /** A timer that is later superseded by an earlier one does nothing. */
  const setTimer = () => {
    const at = dueAt()
    if (!isOpen() || at >= timerAt) return
    timerAt = at
    clock.after(Math.max(1, Math.ceil(at - clock.monotonicMs())), () => {
      if (timerAt !== at) return
      timerAt = Number.POSITIVE_INFINITY
      if (isOpen() && clock.monotonicMs() >= dueAt()) sendAlone()
      setTimer()
    })
  }
  setTimer()
  return {
    /** The next report follows within `reportIntervalMs`. */
    hasten() {
      if (unreportedSince !== undefined) return
      unreportedSince = clock.monotonicMs()
      setTimer()
    },
    mayReport: () => {
      const instant = clock.monotonicMs()
      return isOpen() && instant >= pausedUntil && (unreportedSince !== undefined || instant >= dueAt())
    },
    beginReport(isMoreUnreported: boolean) {
      isInProgress = true
      lastSentAt = clock.monotonicMs()
      unreportedSince = isMoreUnreported ? lastSentAt : undefined
    },
    endReport(pausedMs: number) {
      isInProgress = false
      pausedUntil = clock.monotonicMs() + pausedMs
      if (pausedMs > 0) unreportedSince = undefined
      setTimer()
    },
    close() {
      isClosed = true
    },
  }
}

function countAdmitted(name: string, limit: RateLimit, onAdmitted: () => void): CountedRate {
  const admitted = new Map<string, number>()
  const take = (subject: string) => {
    const taken = limit.take(subject)
    if (taken.retryAfterSeconds !== 0) return taken
    admitted.set(subject, (admitted.get(subject) ?? 0) + 1)
    onAdmitted()
    return taken
  }
  return { name, limit: { ...limit, take }, admitted }
}

/** A digest names the subject: a report has a bounded size, and names no user. */
function listUnreported(rate: CountedRate, subjectsMax: number) {
  const per_second = rate.limit.policy.perSecond
  return Array.from(rate.admitted)
    .slice(0, subjectsMax)
    .map(([subject, admitted]) => ({
      rate,
      subject,
      reported: {
        subject: hash('sha256', `${rate.name} ${subject}`, 'base64url'),
        requests: Math.min(admitted, leaseBounds.requestsPerSubjectMax),
        per_second,
      },
    }))
}
