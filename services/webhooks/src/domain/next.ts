import { errorLine, type Outcome } from './outcome.ts'
import { jittered, type Schedule } from './schedule.ts'

export type Following =
  | { readonly status: 'delivered'; readonly lastError: null }
  | { readonly status: 'retrying'; readonly lastError: string | null; readonly delayMs: number }
  | { readonly status: 'dead'; readonly lastError: string | null }

/**
 * What follows an attempt that was number `position + 1` of its schedule. `draw` is uniform in [0, 1). A receiver that says when to
 * come again is obeyed, but never comes earlier than the schedule says; one that is gone is left alone.
 */
export function following(outcome: Outcome, schedule: Schedule, position: number, draw: number): Following {
  if (outcome.errorKind === null) return { status: 'delivered', lastError: null }
  const lastError = errorLine(outcome)
  const delayMs = outcome.errorKind === 'gone' ? undefined : schedule[position + 1]
  if (delayMs === undefined) return { status: 'dead', lastError }
  return { status: 'retrying', lastError, delayMs: Math.max(jittered(delayMs, draw), outcome.retryAfterMs ?? 0) }
}

/** A message that is late by its delay again, or by this, is taken for lost. */
const graceMsMin = 10_000

/** How long after now the sweeper takes up a delivery that waits `delayMs`: at once where no message brings it back. */
export function sweepAfterMs(delayMs: number, queued: boolean): number {
  return queued ? delayMs + Math.max(delayMs, graceMsMin) : delayMs
}
