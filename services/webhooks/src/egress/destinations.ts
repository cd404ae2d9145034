import { destinationViolation } from '../domain/destination.ts'
import { type Resolving, resolve } from './resolve.ts'

/** Judges a URL before it is stored. */
export interface Destinations {
  /** Which rule it breaks, in its form or by where its name leads now; undefined where it may be stored. */
  refusalOf(written: string): Promise<string | undefined>
}

const lookupTimeoutMs = 3_000

/** A name that does not resolve now may do so later: it is taken, and attempts say what is wrong with it. */
export function createDestinations(resolving: Resolving): Destinations {
  return {
    refusalOf: async (written) => {
      const form = destinationViolation(written, resolving)
      if (form !== undefined) return form
      const resolved = await resolve(new URL(written), resolving, performance.now() + lookupTimeoutMs)
      if (!('refused' in resolved) || resolved.refused.errorKind !== 'blocked_address') return undefined
      return resolved.refused.errorDetail ?? undefined
    },
  }
}
