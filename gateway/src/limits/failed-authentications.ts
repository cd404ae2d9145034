import { LRUCache } from 'lru-cache'
import { addressBlock } from '../pipeline/client-ip.ts'
import type { SharedCounts } from './shared-counters.ts'

/**
 * Counts failed authentications per address, in windows of a minute that begin with the first. An address that has used up
 * its allowance is refused for the rest of its window, good credentials included: else the refusals would tell a guesser
 * nothing. Of an IPv6 address its /64 counts, since that is what one customer has.
 *
 * Its people: the counts of this process, which decide at once and are bounded (beyond `addressesMax` the address counted
 * longest ago is forgotten), and the counts that all replicas share, which a failure is added to before it is answered.
 *
 * Guarantees. One replica answers at most `perMinuteMax` failures of an address in a window. With all of them it is that,
 * and one more per further replica: a replica learns that the address has had its share when it counts a failure itself,
 * and answers that failure 429. While the shared counts cannot be had each replica has its own.
 *
 * Not promised: that an attacker with very many addresses is held up.
 */
export interface FailedAuthentications {
  /** Counts one failure. Resolves with the seconds for which the address is refused, where this was one too many. */
  count(address: string, context: { traceId: string }): Promise<number | undefined>
  /** For how many seconds from now the address is refused; undefined where it is not. */
  refusedForSeconds(address: string): number | undefined
}

interface FailedAuthenticationsOptions {
  readonly perMinuteMax: number
  readonly shared: Pick<SharedCounts, 'failedAuthentications'>
  readonly addressesMax?: number
  readonly now?: () => number
}

interface Window {
  failures: number
  /** Not yet added to the shared count. */
  unshared: number
  isSharing: boolean
  endsAt: number
}

const windowMs = 60_000
/** Addresses at once: an attack with many must not keep the store from its work. */
const sharingMax = 8

export function createFailedAuthentications(options: FailedAuthenticationsOptions): FailedAuthentications {
  const { perMinuteMax, shared, addressesMax = 10_000, now = () => performance.now() } = options
  const windows = new LRUCache<string, Window>({ max: addressesMax })
  let sharing = 0
  const windowOf = (address: string): Window | undefined => {
    const window = windows.get(address)
    return window === undefined || window.endsAt <= now() ? undefined : window
  }
  /** One report of an address at a time; what fails meanwhile goes with the next. */
  const share = async (address: string, window: Window, context: { traceId: string }): Promise<void> => {
    window.isSharing = true
    sharing += 1
    while (window.unshared > 0) {
      const failures = Math.min(window.unshared, 1000)
      const everywhere = await shared.failedAuthentications(address, failures, context)
      if (everywhere === undefined) break
      window.unshared -= failures
      window.failures = everywhere.failures + window.unshared
      window.endsAt = now() + everywhere.endsInSeconds * 1000
    }
    sharing -= 1
    window.isSharing = false
  }
  return {
    async count(address, context) {
      const subject = addressBlock(address)
      let window = windowOf(subject)
      if (window === undefined) {
        window = { failures: 0, unshared: 0, isSharing: false, endsAt: now() + windowMs }
        windows.set(subject, window)
      }
      window.failures += 1
      window.unshared += 1
      if (!window.isSharing && sharing < sharingMax) await share(subject, window, context)
      return window.failures > perMinuteMax ? Math.max(0, window.endsAt - now()) / 1000 : undefined
    },
    refusedForSeconds(address) {
      const window = windows.size === 0 ? undefined : windowOf(addressBlock(address))
      if (window === undefined || window.failures < perMinuteMax) return undefined
      return (window.endsAt - now()) / 1000
    },
  }
}
