import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Response } from 'express'
import { addressBlock } from './client-ip.ts'
import { createRateLimit, type RateLimitFields, type Taken } from './token-bucket.ts'

/**
 * **What it does.** Limits the requests of an address that carry no verified credential: unknown paths, pages, health
 * checks, missing or rejected credentials, malformed requests. Webhooks of payment providers and
 * back-channel logouts have an allowance of their own, and so has what pages of other sites embed.
 *
 * **Guarantees.** A verified request takes nothing from the allowance of its address, and the pages of a browser whose
 * session was verified there take nothing either.
 *
 * **Not guaranteed.** Replicas do not share counts: N replicas allow N times as many requests.
 */
export interface UnverifiedRequests {
  /** Takes one request from the allowance of the address. `retryAfterSeconds` is above 0 beyond the allowance. */
  take(address: string): Taken
  /**
   * Returns a function that takes one request at its first call, and returns the same result at each later call.
   * `caller`: a known caller (known-callers.ts), whose allowance is its own.
   */
  takeOnce(address: string, caller?: string): () => Taken
  /** Takes what `costlyRequests` requests take, for one that costs as much. */
  takeCostly(address: string): void
  /** The RateLimit fields of a response to a request beyond the allowance. */
  formatFields(taken: Taken): RateLimitFields
}

const costlyRequests = 50

export function createUnverifiedRequests(perMinute: number, addressesMax = 10_000): UnverifiedRequests {
  const limit = createRateLimit({ perSecond: perMinute / 60, burst: perMinute }, { subjectsMax: addressesMax })
  const take = (address: string) => limit.take(addressBlock(address))
  return {
    take,
    takeOnce(address, caller) {
      let taken: Taken | undefined
      return () => (taken ??= caller === undefined ? take(address) : limit.take(caller))
    },
    takeCostly(address) {
      for (let count = 0; count < costlyRequests; count += 1) take(address)
    },
    formatFields: ({ remaining, resetSeconds }) => ({
      'RateLimit-Policy': `"address";q=${perMinute};w=60`,
      RateLimit: `"address";r=${remaining};t=${Math.ceil(resetSeconds)}`,
    }),
  }
}

/** Closes the connection after the response, so that each further request costs its sender a new connection. */
export function closeAfter(response: Response): void {
  response.shouldKeepAlive = false
}

export function tooManyUnverified(retryAfterSeconds: number): Problem {
  const detail = 'Too many requests without a valid credential from this address'
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}
