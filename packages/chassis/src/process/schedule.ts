import { createPause, type Pause } from '../base/deadline.ts'
import type { Notes } from '../base/notes.ts'
import type { Log } from '../observability/log.ts'

export interface Scheduled {
  /** Starts no further run. Resolves when the current run has ended. */
  stop(): Promise<void>
}

/** False if the job failed, which is logged. */
async function succeeds(name: string, log: Log, job: () => Promise<unknown>): Promise<boolean> {
  try {
    await job()
    return true
  } catch (err) {
    log.error({ err, job: name }, 'job failed')
    return false
  }
}

/** Runs `job` again `intervalMs` after the end of each run. A failed run is logged, and the next run follows. */
export function every(intervalMs: number, name: string, log: Log, job: () => Promise<unknown>): Scheduled {
  const pause = createPause()
  return withPauses({ pause, intervalMs, name, log }, job, () => pause.wait(intervalMs))
}

export interface Resting extends Scheduled {
  /** The next run follows `intervalMs` after this call, or earlier. */
  soon(): void
}

export interface Waits {
  readonly intervalMs: number
  /** Infinity: until a `soon`. */
  readonly restMs: number
  /** Each of them is a `soon`. */
  readonly signals?: { watch(watcher: () => void): () => void }
}

/** `every`, for a job that pauses while nothing happens: runs are `restMs` apart, and `intervalMs` after a `soon`. */
export function everyResting(
  { intervalMs, restMs, signals }: Waits,
  name: string,
  log: Log,
  job: () => Promise<unknown>,
): Resting {
  const pause = createPause()
  const runs = withPauses({ pause, intervalMs, name, log }, job, (hasFailed) =>
    pause.wait(hasFailed ? intervalMs : restMs),
  )
  const soon = () => pause.wakeWithin(intervalMs)
  const unwatch = signals?.watch(soon)
  return {
    soon,
    stop: () => {
      unwatch?.()
      return runs.stop()
    },
  }
}

export interface Paused {
  /** Ended by `stop`. */
  readonly pause: Pause
  /** Until the first run. */
  readonly intervalMs: number
  readonly name: string
  readonly log: Log
}

/** Runs `job` again and again, with `between` after each run. A failed run is logged, and the next one follows. */
export function withPauses(
  { pause, intervalMs, name, log }: Paused,
  job: () => Promise<unknown>,
  between: (hasFailed: boolean) => Promise<unknown>,
): Scheduled {
  let stopped = false
  const run = async () => {
    await pause.wait(intervalMs)
    while (!stopped) {
      const hasFailed = !(await succeeds(name, log, job))
      if (!stopped) await between(hasFailed)
    }
  }
  const ended = run()
  return {
    stop: () => {
      stopped = true
      pause.wake()
      return ended
    },
  }
}

/** `every`, for a job that does a part of its work: each run gets what the one before returned, and null at first. */
export function everyInTurns(
  intervalMs: number,
  name: string,
  log: Log,
  job: (after: string | null) => Promise<string | null>,
): Scheduled {
  let after: string | null = null
  return every(intervalMs, name, log, async () => {
    after = await job(after)
  })
}

/** Flushes notes `delayMs` after the first of them, and once more when it stops. A failed flush is logged. */
export function startFlushes(
  delayMs: number,
  name: string,
  log: Log,
  notes: Pick<Notes<never>, 'watch' | 'flush'>,
): Scheduled {
  const waits = { intervalMs: delayMs, restMs: Number.POSITIVE_INFINITY, signals: notes }
  const flushes = everyResting(waits, name, log, notes.flush)
  return {
    stop: async () => {
      await flushes.stop()
      await succeeds(name, log, notes.flush)
    },
  }
}
