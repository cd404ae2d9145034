import type { Log } from './log.ts'

export interface Scheduled {
  /** No further run; resolves when the one in work has ended. */
  stop(): Promise<void>
}

/** Runs `job` every `intervalMs` after the end of the run before. A failed run is logged, and the next one comes. */
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
