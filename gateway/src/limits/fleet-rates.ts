import { hash, randomUUID } from 'node:crypto'
import { newId } from '@payments/chassis/base/id'
import type { Client } from '@payments/chassis/client/client'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import { createRateLimit, type RateLimit, type RateLimitPolicy } from './token-bucket.ts'

/**
 * **What it does.** Applies request rates to all replicas of the gateway together. No request waits for it.
 *
 * **Participants.** Each replica decides on its copy of a bucket (token-bucket.ts), where a request costs as many
 * tokens as there are live replicas. `report`, every `reportIntervalMs`, sends the admitted requests and replaces each
 * copy by the shared bucket, which api-key stores.
 *
 * README.md has the guarantees, the figures and the outage of api-key.
 */
export interface FleetRates {
  /** Per API key and per user. */
  readonly credential: RateLimit
  readonly tenant: RateLimit
  /** Sends one report, if one is due. Never throws. */
  report(): Promise<void>
  state(): FleetState
}

export interface FleetState {
  /** Live replicas, this one included; the last known number during an outage. */
  readonly replicas: number
  /** False while reports fail. */
  readonly isShared: boolean
}

export interface FleetRatesOptions {
  readonly store: Pick<Client<typeof apiKey>, 'countRequests'>
  readonly credential: RateLimitPolicy
  readonly tenant: RateLimitPolicy
  /** Called when reports begin to fail, with the error, and when they succeed again. */
  readonly onChange: (error?: unknown) => void
  readonly now?: () => number
}

export const reportIntervalMs = 50
/** A replica without requests reports too, so that the others count it. */
const idleIntervalMs = 1_000
const pauseMs = 1_000
const subjectsPerReport = 500
const requestsPerSubjectMax = 1_000_000

/** A rate limit with the requests that it admitted and that are not reported yet, by subject. */
interface CountedRate {
  readonly name: string
  readonly limit: RateLimit
  readonly admitted: Map<string, number>
}

export function createFleetRates(options: FleetRatesOptions): FleetRates {
  const { store, onChange, now = () => performance.now() } = options
  const replica = randomUUID()
  let state: FleetState = { replicas: 1, isShared: true }
  let idleUntil = 0
  let pausedUntil = 0
  const bucketsOf = (policy: RateLimitPolicy) => createRateLimit(policy, { replicas: () => state.replicas, now })
  const credential = countAdmitted('credential', bucketsOf(options.credential))
  const tenant = countAdmitted('tenant', bucketsOf(options.tenant))

  const change = (next: FleetState, error?: unknown) => {
    const isChange = next.isShared !== state.isShared
    state = next
    if (isChange) onChange(error)
  }

  const report = async () => {
    const instant = now()
    if (instant < pausedUntil) return
    // Tenants first: no tenant delays the bucket of another one by the number of its credentials.
    const tenants = unreported(tenant).slice(0, subjectsPerReport / 2)
    const counts = [...tenants, ...unreported(credential).slice(0, subjectsPerReport - tenants.length)]
    if (counts.length === 0 && instant < idleUntil) return
    idleUntil = instant + idleIntervalMs
    for (const { rate, subject } of counts) rate.admitted.delete(subject)
    try {
      const body = { replica, requests: counts.map(({ reported }) => reported) }
      const reply = await store.countRequests({ traceId: newId() }, { body })
      change({ replicas: reply.replicas, isShared: true })
      for (const [at, { rate, subject }] of counts.entries()) {
        // The shared bucket does not have the requests that were admitted since the report was sent.
        const since = (rate.admitted.get(subject) ?? 0) * state.replicas
        const missing = Number(reply.full_in_seconds[at]) * rate.limit.policy.perSecond
        rate.limit.settle(subject, missing + since)
      }
    } catch (error) {
      pausedUntil = now() + pauseMs
      for (const { admitted } of [credential, tenant]) admitted.clear()
      change({ ...state, isShared: false }, error)
    }
  }

  return { credential: credential.limit, tenant: tenant.limit, report, state: () => state }
}

function countAdmitted(name: string, limit: RateLimit): CountedRate {
  const admitted = new Map<string, number>()
  const take = (subject: string) => {
    const taken = limit.take(subject)
    if (taken.retryAfterSeconds === 0) admitted.set(subject, (admitted.get(subject) ?? 0) + 1)
    return taken
  }
  return { name, limit: { ...limit, take }, admitted }
}

/** A digest names the subject: a report has a bounded size, and names no user. */
function unreported(rate: CountedRate) {
  const per_second = rate.limit.policy.perSecond
  return Array.from(rate.admitted, ([subject, admitted]) => ({
    rate,
    subject,
    reported: {
      subject: hash('sha256', `${rate.name} ${subject}`, 'base64url'),
      requests: Math.min(admitted, requestsPerSubjectMax),
      per_second,
    },
  }))
}
