import type { Outcome } from './outcome.ts'

/**
 * When a receiver is tried no more for a while: half of its attempts fail, or it cannot even be connected to. Attempts are counted
 * by stretches of a sixth of the window, so a count forgets in steps.
 */
export interface BreakerRules {
  readonly failedPercentMin: number
  /** Fewer attempts within the window say nothing. */
  readonly attemptsMin: number
  readonly windowMs: number
  readonly connectErrorsMax: number
  readonly probeAfterMs: number
}

export interface BreakerCount {
  readonly stretches: readonly { readonly from: number; readonly attempts: number; readonly failed: number }[]
  readonly connectErrorsInARow: number
}

export const nothingCounted: BreakerCount = { stretches: [], connectErrorsInARow: 0 }

const stretchesMax = 6
/** No connection stood: nobody is there. */
const unconnected: ReadonlySet<Outcome['errorKind']> = new Set(['dns', 'connect', 'tls'])

/** `nowMs` never runs backwards. */
export function counted(
  count: BreakerCount,
  errorKind: Outcome['errorKind'],
  nowMs: number,
  { windowMs }: BreakerRules,
): BreakerCount {
  const stretchMs = windowMs / stretchesMax
  const from = Math.floor(nowMs / stretchMs) * stretchMs
  const kept = count.stretches.filter((stretch) => stretch.from > nowMs - windowMs && stretch.from < from)
  const current = count.stretches.find((stretch) => stretch.from === from) ?? { from, attempts: 0, failed: 0 }
  const failed = current.failed + (errorKind === null ? 0 : 1)
  return {
    stretches: [...kept, { from, attempts: current.attempts + 1, failed }],
    connectErrorsInARow: unconnected.has(errorKind) ? count.connectErrorsInARow + 1 : 0,
  }
}

export function trips(count: BreakerCount, rules: BreakerRules): boolean {
  if (count.connectErrorsInARow >= rules.connectErrorsMax) return true
  const attempts = count.stretches.reduce((sum, stretch) => sum + stretch.attempts, 0)
  const failed = count.stretches.reduce((sum, stretch) => sum + stretch.failed, 0)
  return attempts >= rules.attemptsMin && failed * 100 >= attempts * rules.failedPercentMin
}
