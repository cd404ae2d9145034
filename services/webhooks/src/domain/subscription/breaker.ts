import type { AttemptOutcome } from '../attempt/outcome.ts'

/**
 * Rules of the circuit breaker: it opens when a share of the attempts fails, or after several connect errors in a row.
 * Attempts are counted in time buckets of a sixth of the window.
 */
export interface BreakerRules {
  readonly failedPercentMin: number
  /** Minimum attempts in the window before the circuit breaker may open. */
  readonly attemptsMin: number
  readonly windowMs: number
  readonly connectErrorsMax: number
  readonly probeAfterMs: number
}

export interface BreakerCount {
  readonly buckets: readonly { readonly from: number; readonly attempts: number; readonly failed: number }[]
  readonly connectErrorsInARow: number
}

export const nothingCounted: BreakerCount = { buckets: [], connectErrorsInARow: 0 }

const bucketsMax = 6
/** Error kinds without a connection. */
const unconnected: ReadonlySet<AttemptOutcome['errorKind']> = new Set(['dns', 'connect', 'tls'])

/** The count after one more attempt. `nowMs` is monotonic. */
export function countAttempt(
  count: BreakerCount,
  errorKind: AttemptOutcome['errorKind'],
  nowMs: number,
  { windowMs }: BreakerRules,
): BreakerCount {
  const bucketMs = windowMs / bucketsMax
  const from = Math.floor(nowMs / bucketMs) * bucketMs
  const recent = count.buckets.filter((bucket) => bucket.from > nowMs - windowMs && bucket.from < from)
  const current = count.buckets.find((bucket) => bucket.from === from) ?? { from, attempts: 0, failed: 0 }
  const failed = current.failed + (errorKind === null ? 0 : 1)
  return {
    buckets: [...recent, { from, attempts: current.attempts + 1, failed }],
    connectErrorsInARow: unconnected.has(errorKind) ? count.connectErrorsInARow + 1 : 0,
  }
}

export function trips(count: BreakerCount, rules: BreakerRules): boolean {
  if (count.connectErrorsInARow >= rules.connectErrorsMax) return true
  const attempts = count.buckets.reduce((sum, bucket) => sum + bucket.attempts, 0)
  const failed = count.buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  return attempts >= rules.attemptsMin && failed * 100 >= attempts * rules.failedPercentMin
}
