import { LRUCache } from 'lru-cache'

/**
 * Token buckets: a subject may make `burst` requests at once, and gets `perSecond` of them back each second.
 *
 * A bucket is one number, the instant at which it is full again (the generic cell rate algorithm), so there is nothing to
 * refill and no timer. The buckets touched longest ago are forgotten beyond `subjectsMax`: by then they are full, unless
 * more subjects than that are active at once.
 *
 * Not promised: that replicas agree. Each counts what passes through it, so N replicas let through up to N times as much.
 */
export interface RateLimit {
  readonly policy: RateLimitPolicy
  /** Takes one from the subject's bucket, if there is one. */
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
  /** 0 where one was taken. */
  readonly retryAfterSeconds: number
}

/** Sums of fractions of a millisecond come out a little below the whole number they stand for. */
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
