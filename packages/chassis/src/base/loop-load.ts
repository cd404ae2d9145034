import { performance } from 'node:perf_hooks'

const intervalMs = 100

/** Returns a function that returns the share of the time in which the event loop of this thread was lately busy: 0 to 1. */
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
