/**
 * Calls `due` at even intervals from now on, as long as a due time lies before `endsAt`. Times are from
 * `performance.now()`.
 *
 * The generator sleeps until the next due time, as it would else take the core that the measured process needs. A timer
 * has a resolution of 1 ms, so each tick emits every request that is due. The lateness of up to 1 ms is in every
 * latency, also of a reference without the measured process.
 */
export function atEvenIntervals(perSecond: number, endsAt: number, due: (dueAt: number) => void): Promise<void> {
  return new Promise((resolve) => {
    let next = performance.now()
    const tick = () => {
      const now = performance.now()
      for (; next <= now && next < endsAt; next += 1_000 / perSecond) due(next)
      if (next >= endsAt) resolve()
      else setTimeout(tick, Math.max(1, next - now))
    }
    tick()
  })
}
