import { destinationViolation } from '@payments/egress/destination'
import { type Resolving, resolve } from '@payments/egress/resolve'

/** Checks a URL before it is stored. */
export interface Destinations {
  /** The rule that the URL or a current address of its host violates. Undefined when the URL may be stored. */
  findViolation(written: string): Promise<string | undefined>
}

const lookupTimeoutMs = 3_000

/** A name that does not resolve now may resolve later: the URL is accepted, and attempts report the failure. */
export function createDestinations(resolving: Resolving): Destinations {
  return {
    findViolation: async (written) => {
      const violation = destinationViolation(written, resolving)
      if (violation !== undefined) return violation
      const resolved = await resolve(new URL(written), resolving, performance.now() + lookupTimeoutMs)
      if (!('rejection' in resolved) || resolved.rejection.errorKind !== 'blocked_address') return undefined
      return resolved.rejection.errorDetail
    },
  }
}
