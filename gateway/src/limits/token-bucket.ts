import { LRUCache } from 'lru-cache'

/**
 * **What it does.** Limits the rate of requests per subject with token buckets. A subject may send `burst` requests
 * at once and regains `perSecond` tokens each second.
 *
 * **Participants.** A bucket is one number: the instant at which the bucket is full again (generic cell rate
 * algorithm). So no timer refills buckets.
 *
 * **Guarantees.** At most `subjectsMax` buckets are stored. Beyond that the least recently used bucket is evicted. An
 * evicted bucket is full already, unless more than `subjectsMax` subjects are active at once.
 *
 * **Not guaranteed.** Replicas do not share buckets: N replicas admit up to N times as many requests.
 */
export interface RateLimit {
  readonly policy: RateLimitPolicy
  /** Takes one token from the bucket of the subject, if the bucket has one. */
  take(subject: string): Taken
}

export interface RateLimitPolicy {
  readonly perSecond: number
  readonly burst: number
}

export interface Taken {
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly resetSeconds: number
  /** 0 when a token was taken. */
  readonly retryAfterSeconds: number
}

/** Response fields of draft-ietf-httpapi-ratelimit-headers-11. */
export type RateLimitFields = Readonly<Record<'RateLimit' | 'RateLimit-Policy', string>>

/** A sum of fractions of a millisecond may be slightly below the whole number that the sum represents. */
const tolerance = 1e-6

export function createRateLimit(
  policy: RateLimitPolicy,
  subjectsMax = 100_000,
  now: () => number = () => performance.now(),
): RateLimit {
  const { perSecond, burst } = policy
  const intervalMs = 1000 / perSecond
  const buckets = new LRUCache<string, number>({ max: subjectsMax })
  return {
    policy,
    take(subject) {
      const instant = now()
      const missing = Math.max(0, (buckets.get(subject) ?? 0) - instant) / intervalMs
      const left = burst - missing - 1
      if (left < -tolerance) {
        return { remaining: 0, resetSeconds: missing / perSecond, retryAfterSeconds: -left / perSecond }
      }
      buckets.set(subject, instant + (missing + 1) * intervalMs)
      return {
        remaining: Math.floor(left + tolerance),
        resetSeconds: (missing + 1) / perSecond,
        retryAfterSeconds: 0,
      }
    },
  }
}
