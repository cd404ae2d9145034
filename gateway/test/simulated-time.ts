import type { Timer } from '@payments/chassis/database/authorization-lease'
import type { Clock } from '../src/authorization/clock.ts'

/** One process on a simulated machine. */
export interface SimulatedProcess {
  readonly clock: Clock
  readonly timer: Timer
  /** Runs `step` after `delayMs`, or at the end of the pause in which that moment lies. */
  after(delayMs: number, step: () => void): void
}

export interface SimulatedTime {
  nowMs(): number
  after(delayMs: number, step: () => void): void
  process(options: ProcessOptions): SimulatedProcess
  /** Runs the steps in the order of their times, and after each step the promise callbacks that follow from it. */
  run(): Promise<void>
}

interface ProcessOptions {
  /** Simulated milliseconds of its clocks per simulated millisecond. */
  readonly clockRate: number
  readonly pauses: readonly SimulatedPause[]
}

export interface SimulatedPause {
  readonly fromMs: number
  readonly toMs: number
  /** A suspended machine: the monotonic clock stands still, the wall clock moves on. */
  readonly isSuspension: boolean
}

const stepsMax = 5_000
const microtasks = 40

export function simulatedTime(): SimulatedTime {
  const steps: { readonly atMs: number; readonly step: () => void }[] = []
  let nowMs = 0
  const at = (atMs: number, step: () => void) => {
    const index = steps.findIndex((other) => other.atMs > atMs)
    steps.splice(index === -1 ? steps.length : index, 0, { atMs, step })
  }
  return {
    nowMs: () => nowMs,
    after: (delayMs, step) => at(nowMs + delayMs, step),
    process({ clockRate, pauses }) {
      const suspendedMs = () =>
        pauses
          .filter(({ isSuspension, fromMs }) => isSuspension && fromMs < nowMs)
          .reduce((sum, { fromMs, toMs }) => sum + Math.min(nowMs, toMs) - fromMs, 0)
      const after = (delayMs: number, step: () => void) => {
        const dueMs = nowMs + delayMs
        const pause = pauses.find(({ fromMs, toMs }) => fromMs <= dueMs && dueMs < toMs)
        at(pause?.toMs ?? dueMs, step)
      }
      const monotonicMs = () => (nowMs - suspendedMs()) * clockRate
      return {
        clock: { monotonicMs, wallMs: () => nowMs * clockRate, after },
        // Whole milliseconds, at least one, as the timers of Node.
        timer: {
          now: monotonicMs,
          sleep: (ms) => new Promise((resolve) => after(Math.max(1, Math.trunc(ms)) / clockRate, resolve)),
        },
        after,
      }
    },
    async run() {
      for (let count = 0; steps.length > 0; count += 1) {
        if (count === stepsMax) throw new Error('the simulation does not end')
        const next = steps.shift()
        nowMs = next?.atMs ?? nowMs
        next?.step()
        // Faster than a round of the event loop.
        for (let i = 0; i < microtasks; i += 1) await undefined
      }
    },
  }
}
