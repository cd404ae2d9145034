import { LRUCache } from 'lru-cache'

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Counts one use of the subject: 0, or the seconds after which it may be repeated. */
export type Rates = (subject: string) => number

/** Rates whose counted use can be taken back: of a request that had no effect. */
export type ReturnableRates = Rates & { readonly takeBack: (subject: string) => void }

/** Counts one use of the subject: the milliseconds after which it is due, in the order of the calls. */
export type Pace = (subject: string) => number

const subjectsMax = 10_000

/**
 * Returns a function that counts a use of a subject. Each process counts for itself. An instant per subject is stored:
 * the end of the uses counted so far at `perSecond` (generic cell rate algorithm).
 */
export function createRates({ perSecond, burst }: Rate, now = () => performance.now()): ReturnableRates {
  const ends = new LRUCache<string, number>({ max: subjectsMax })
  const intervalMs = 1_000 / perSecond
  const count = (subject: string) => {
    const end = Math.max(now(), ends.get(subject) ?? 0) + intervalMs
    const excessMs = end - now() - burst * intervalMs
    if (excessMs > 0) return Math.ceil(excessMs / 1_000)
    ends.set(subject, end)
    return 0
  }
  const takeBack = (subject: string) => {
    const end = ends.get(subject)
    if (end !== undefined) ends.set(subject, end - intervalMs)
  }
  return Object.assign(count, { takeBack })
}

/** Returns a function that spaces the uses of a subject: `burst` are due at once, then `perSecond`. */
export function createPace({ perSecond, burst }: Rate, now = () => performance.now()): Pace {
  const ends = new LRUCache<string, number>({ max: subjectsMax })
  const intervalMs = 1_000 / perSecond
  return (subject) => {
    const end = Math.max(now(), ends.get(subject) ?? 0) + intervalMs
    ends.set(subject, end)
    return Math.max(0, end - now() - burst * intervalMs)
  }
}
