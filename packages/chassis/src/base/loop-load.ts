import { performance } from 'node:perf_hooks'

const intervalMs = 100

/** The share of the time in which the event loop of this thread was lately busy, from 0 to 1, as a function. */
export function createLoopLoad(): () => number {
  let [before, readAt, utilization] = [performance.eventLoopUtilization(), performance.now(), 0]
  return () => {
    if (performance.now() - readAt < intervalMs) return utilization
    const now = performance.eventLoopUtilization()
    utilization = performance.eventLoopUtilization(now, before).utilization
    before = now
    readAt = performance.now()
    return utilization
  }
}
