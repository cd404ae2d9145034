import { LRUCache } from 'lru-cache'

interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** The rate at which each payment orchestrator may report events: `burst` at once, then `perSecond`. */
export const eventRate: Rate = { perSecond: 50, burst: 500 }

/** The rate at which each tenant may check its payment orchestrators. */
const checkRate: Rate = { perSecond: 1 / 6, burst: 10 }

/** The rate at which the tenant may have each transaction synced. */
const syncRate: Rate = { perSecond: 1 / 5, burst: 20 }

/** Counts one use of the subject: 0, or the seconds after which it may be repeated. */
export type Rates = (subject: string) => number

const subjectsMax = 10_000

/**
 * Returns a function that counts a use of a subject. Each process counts for itself. An instant per subject is stored:
 * the end of the uses counted so far at `perSecond` (generic cell rate algorithm).
 */
export function createRates({ perSecond, burst }: Rate, now = () => performance.now()): Rates {
  const ends = new LRUCache<string, number>({ max: subjectsMax })
  const intervalMs = 1_000 / perSecond
  return (subject) => {
    const end = Math.max(now(), ends.get(subject) ?? 0) + intervalMs
    const excessMs = end - now() - burst * intervalMs
    if (excessMs > 0) return Math.ceil(excessMs / 1_000)
    ends.set(subject, end)
    return 0
  }
}

/** The rates of requests that call a payment provider without an operation. */
export const createRequestRates = () => ({
  secondsToCheck: createRates(checkRate),
  secondsToSync: createRates(syncRate),
})
