import type { Log } from '../observability/log.ts'

export interface Scheduled {
  /** Starts no further run. Resolves when the current run has ended. */
  stop(): Promise<void>
}

/** Runs `job` again `intervalMs` after the end of each run. A failed run is logged, and the next run follows. */
export function every(intervalMs: number, name: string, log: Log, job: () => Promise<unknown>): Scheduled {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const next = () => {
    if (!stopped) timer = setTimeout(() => (running = runOnce()), intervalMs)
  }
  const runOnce = async () => {
    try {
      await job()
    } catch (err) {
      log.error({ err, job: name }, 'job failed')
    }
    next()
  }
  next()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
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
