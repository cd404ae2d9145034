import { type AttemptOutcome, errorSummary } from '../attempt/outcome.ts'
import { addJitter, type Schedule } from './schedule.ts'

/** The result of an attempt. `delayMs` null: no further attempt. */
export interface NextStep {
  readonly status: 'delivered' | 'retrying' | 'dead'
  readonly delayMs: number | null
  readonly lastError: string | null
}

/**
 * The step after the attempt at `position` of a schedule: position 0 is the first attempt, so the next delay is entry
 * 1. `draw` is uniform in [0, 1). `Retry-After` is honoured but never shortens the schedule. A 410 ends it.
 */
export function scheduleNext(outcome: AttemptOutcome, schedule: Schedule, position: number, draw: number): NextStep {
  if (outcome.errorKind === null) return { status: 'delivered', delayMs: null, lastError: null }
  const lastError = errorSummary(outcome)
  const delayMs = outcome.errorKind === 'gone' ? undefined : schedule[position + 1]
  if (delayMs === undefined) return { status: 'dead', delayMs: null, lastError }
  return { status: 'retrying', lastError, delayMs: Math.max(addJitter(delayMs, draw), outcome.retryAfterMs ?? 0) }
}

/** A message counts as lost when it is late by its own delay, and by at least this time. */
const graceMsMin = 10_000

/** When the sweeper acts on a delivery that waits `delayMs`, in milliseconds from now: at its end without a message. */
export function sweepAfterMs(delayMs: number, published: boolean): number {
  return published ? delayMs + Math.max(delayMs, graceMsMin) : delayMs
}
