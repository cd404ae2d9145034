/**
 * Counts failed authentications per address, in windows of a minute. An address that has used up its allowance is
 * refused for the rest of its window, good credentials included: else the refusals would tell a guesser nothing.
 *
 * The counts are of this process; they are bounded, and when there are too many addresses the one counted longest ago is
 * forgotten. Not promised: that replicas agree, or that an attacker with very many addresses is held up.
 */
export interface FailedAuthentications {
  count(address: string): void
  /** Until when the address is refused, in seconds from now; undefined where it is not. */
  refusedForSeconds(address: string): number | undefined
}

interface Window {
  count: number
  readonly endsAt: number
}

const windowMs = 60_000

export function createFailedAuthentications(perMinuteMax: number, addressesMax = 10_000): FailedAuthentications {
  const windows = new Map<string, Window>()
  const open = (address: string): Window | undefined => {
    const window = windows.get(address)
    return window === undefined || window.endsAt <= performance.now() ? undefined : window
  }
  return {
    count(address) {
      const window = open(address)
      if (window !== undefined) {
        window.count += 1
        return
      }
      windows.delete(address)
      windows.set(address, { count: 1, endsAt: performance.now() + windowMs })
      const [oldest] = windows.keys()
      if (windows.size > addressesMax && oldest !== undefined) windows.delete(oldest)
    },
    refusedForSeconds(address) {
      const window = open(address)
      if (window === undefined || window.count < perMinuteMax) return undefined
      return (window.endsAt - performance.now()) / 1000
    },
  }
}
