/** The clocks and the timer of a process, in milliseconds. */
export interface Clock {
  /** Is never set. May stand still while the machine is suspended. */
  monotonicMs(): number
  /** Moves while the machine is suspended. May be set. */
  wallMs(): number
  /** Runs `step` after `delayMs`. */
  after(delayMs: number, step: () => void): void
}

export const processClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, step) => void setTimeout(step, delayMs).unref(),
}

export interface Instant {
  readonly monotonicMs: number
  readonly wallMs: number
}

export function now(clock: Clock): Instant {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() }
}

/** The age by the clock that has moved further. Infinite if the wall clock was set back. */
export function ageMs(instant: Instant, clock: Clock): number {
  const wallMs = clock.wallMs() - instant.wallMs
  return wallMs < 0 ? Number.POSITIVE_INFINITY : Math.max(wallMs, clock.monotonicMs() - instant.monotonicMs)
}
