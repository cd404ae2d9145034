import type { Scheduled } from '@payments/chassis/process/schedule'

/** Starts jobs, runs each of them once without its wait, and stops them. */
export async function runJobs(start: () => Scheduled | readonly Scheduled[]): Promise<void> {
  const { setTimeout } = globalThis
  const atOnce = (callback: () => void) => setTimeout(callback, 0)
  globalThis.setTimeout = Object.assign(atOnce, setTimeout) as typeof setTimeout
  let jobs: Scheduled | readonly Scheduled[]
  try {
    jobs = start()
  } finally {
    globalThis.setTimeout = setTimeout
  }
  // Due after the runs of the jobs. `stop` waits for the runs that have started.
  await new Promise((resolve) => setTimeout(resolve, 0))
  await Promise.all([jobs].flat().map((job) => job.stop()))
}
