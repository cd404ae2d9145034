import type { SimulatedPause } from './simulated-time.ts'

/** The random times of a schedule. */
export const scheduleMs = 600

export function randomPauses(random: () => number): SimulatedPause[] {
  if (random() < 0.4) return []
  const fromMs = scheduleMs * random()
  return [{ fromMs, toMs: fromMs + 200 * random(), isSuspension: random() < 0.5 }]
}

/** Mostly a fast network; sometimes slower than a lease. */
export function latencyMs(random: () => number): number {
  const chance = random()
  if (chance < 0.6) return 3 * random()
  return chance < 0.9 ? 30 * random() : 30 + 200 * random()
}

/** Half of the time of a statement. */
export function queryMs(random: () => number, isSlow: boolean): number {
  return !isSlow && random() < 0.7 ? random() : 40 * random()
}

/** mulberry32: small, and the same on every machine. */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
