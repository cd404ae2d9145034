import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Response } from 'express'
import { addressBlock } from './client-ip.ts'
import { createRateLimit, type Taken } from './token-bucket.ts'

/**
 * **What it does.** Limits the requests of an address that carry no verified credential: unknown paths, pages, health
 * checks, missing or rejected credentials, malformed requests. Webhooks of payment providers with back-channel logouts,
 * and what pages of other sites embed, have separate allowances.
 *
 * **Guarantees.** A verified request takes nothing from the allowance of its address, and the pages of a browser whose
 * session was verified there take nothing either.
 *
 * **Not guaranteed.** Replicas do not share counts: N replicas allow N times as many requests.
 */
export interface UnverifiedRequests {
  /** Takes one request from the allowance of the address. `retryAfterSeconds` is above 0 beyond the allowance. */
  take(address: string): Taken
  /** The allowance of one request of the address, or of a known caller there (known-callers.ts). */
  allow(address: string, caller?: string): Allowance
  /** Takes what `costlyRequests` requests take, for one that costs as much. */
  takeCostly(address: string): void
}

/** The first call takes the request from the allowance; further calls take nothing. */
export interface Allowance {
  isExceeded(): boolean
  /** Throws rate_limited beyond the allowance. The response shows the allowance then. */
  require(response: Response): void
}

const costlyRequests = 50

export function createUnverifiedRequests(perMinute: number, addressesMax = 10_000): UnverifiedRequests {
  const limit = createRateLimit({ perSecond: perMinute / 60, burst: perMinute }, { subjectsMax: addressesMax })
  const take = (address: string) => limit.take(addressBlock(address))
  return {
    take,
    allow(address, caller) {
      let taken: Taken | undefined
      const takeOnce = () => (taken ??= caller === undefined ? take(address) : limit.take(caller))
      return {
        isExceeded: () => takeOnce().retryAfterSeconds > 0,
        require(response) {
          const { remaining, resetSeconds, retryAfterSeconds } = takeOnce()
          if (retryAfterSeconds === 0) return
          response.setHeader('RateLimit-Policy', `"address";q=${perMinute};w=60`)
          response.setHeader('RateLimit', `"address";r=${remaining};t=${Math.ceil(resetSeconds)}`)
          throw tooManyUnverified(retryAfterSeconds)
        },
      }
    },
    takeCostly(address) {
      for (let count = 0; count < costlyRequests; count += 1) take(address)
    },
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
