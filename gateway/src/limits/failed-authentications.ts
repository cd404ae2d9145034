import { LRUCache } from 'lru-cache'
import { addressBlock } from './client-ip.ts'
import type { SharedCounters } from './shared-counters.ts'

/**
 * **What it does.** Counts failed authentications per address (per /64, with IPv6), in intervals of a minute that begin
 * with the first failure. An address at its limit is blocked for the rest of its interval, valid credentials included,
 * so that a guesser cannot recognize a valid credential. Those of known callers are accepted (known-callers.ts).
 *
 * **Guarantees.** R replicas together send at most `perMinuteMax` + R − 1 responses to failures of an address in an
 * interval (README.md). At most `addressesMax` addresses are stored; beyond that the least recently used is evicted.
 *
 * **Not guaranteed.** An attacker with very many addresses is not blocked.
 */
export interface FailedAuthentications {
  /**
   * Counts one failure. Resolves with the seconds for which the address is blocked when the failure is beyond the
   * limit.
   */
  count(address: string, context: { traceId: string }): Promise<number | undefined>
  /** Seconds from now for which the address is blocked; undefined when the address is not blocked. */
  blockedForSeconds(address: string): number | undefined
}

interface FailedAuthenticationsOptions {
  readonly perMinuteMax: number
  readonly shared: Pick<SharedCounters, 'failedAuthentications'>
  readonly addressesMax?: number
  readonly now?: () => number
}

interface Interval {
  failures: number
  /** Not added to the shared counter yet. */
  unreported: number
  isReporting: boolean
  endsAt: number
}

const intervalMs = 60_000
/** Reports in progress: an attack from many addresses must not overload the api-key service. */
const reportsMax = 8

export function createFailedAuthentications(options: FailedAuthenticationsOptions): FailedAuthentications {
  const { perMinuteMax, shared, addressesMax = 10_000, now = () => performance.now() } = options
  const intervals = new LRUCache<string, Interval>({ max: addressesMax })
  let reports = 0
  const findInterval = (address: string): Interval | undefined => {
    const interval = intervals.get(address)
    return interval === undefined || interval.endsAt <= now() ? undefined : interval
  }
  /** One report per address at a time. The next report contains the failures of the meantime. */
  const report = async (address: string, interval: Interval, context: { traceId: string }): Promise<void> => {
    interval.isReporting = true
    reports += 1
    while (interval.unreported > 0) {
      const failures = Math.min(interval.unreported, 1000)
      const total = await shared.failedAuthentications(address, failures, context)
      if (total === undefined) break
      interval.unreported -= failures
      interval.failures = total.failures + interval.unreported
      interval.endsAt = now() + total.endsInSeconds * 1000
    }
    reports -= 1
    interval.isReporting = false
  }
  return {
    async count(address, context) {
      const subject = addressBlock(address)
      let interval = findInterval(subject)
      if (interval === undefined) {
        interval = { failures: 0, unreported: 0, isReporting: false, endsAt: now() + intervalMs }
        intervals.set(subject, interval)
      }
      interval.failures += 1
      interval.unreported += 1
      if (!interval.isReporting && reports < reportsMax) await report(subject, interval, context)
      return interval.failures > perMinuteMax ? Math.max(0, interval.endsAt - now()) / 1000 : undefined
    },
    blockedForSeconds(address) {
      const interval = intervals.size === 0 ? undefined : findInterval(addressBlock(address))
      if (interval === undefined || interval.failures < perMinuteMax) return undefined
      return (interval.endsAt - now()) / 1000
    },
  }
}
