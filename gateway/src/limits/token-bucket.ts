import { LRUCache } from 'lru-cache'

/**
 * **What it does.** Limits the rate of requests per subject. A subject may send `burst` requests at once and regains
 * `perSecond` tokens each second.
 *
 * **Participants.** A bucket is one number: the instant at which it is full again (generic cell rate algorithm), so no
 * timer refills it. `replicas` is the number of processes that take from the same buckets (fleet-rates.ts).
 *
 * **Guarantees.** A request is admitted while the bucket has a token, and costs as many tokens as there are replicas: N
 * replicas that hear nothing from each other admit 1/N of the limit each. At most `subjectsMax` buckets are stored.
 */
export interface RateLimit {
  readonly policy: RateLimitPolicy
  /** Takes one token from the bucket of the subject, if the bucket has one. */
  take(subject: string): Taken
  /** Replaces the bucket of the subject by one that lacks `missing` tokens. */
  settle(subject: string, missing: number): void
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

export interface RateLimitOptions {
  readonly subjectsMax?: number
  readonly replicas?: () => number
  readonly now?: () => number
}

/** A sum of fractions of a millisecond may be slightly below the whole number that the sum represents. */
const tolerance = 1e-6

export function createRateLimit(
  policy: RateLimitPolicy,
  { subjectsMax = 100_000, replicas = () => 1, now = () => performance.now() }: RateLimitOptions = {},
): RateLimit {
  const { perSecond, burst } = policy
  const intervalMs = 1000 / perSecond
  const buckets = new LRUCache<string, number>({ max: subjectsMax })
  const settle = (subject: string, missing: number) => void buckets.set(subject, now() + missing * intervalMs)
  return {
    policy,
    settle,
    take(subject) {
      const missing = Math.max(0, (buckets.get(subject) ?? 0) - now()) / intervalMs
      const left = burst - missing - 1
      if (left < -tolerance) {
        return { remaining: 0, resetSeconds: missing / perSecond, retryAfterSeconds: -left / perSecond }
      }
      settle(subject, missing + replicas())
      return {
        remaining: Math.floor(left + tolerance),
        resetSeconds: (missing + 1) / perSecond,
        retryAfterSeconds: 0,
      }
    },
  }
}
