import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Response } from 'express'
import { addressBlock } from '../pipeline/client-ip.ts'
import { type Exchange, setQuotaHeaders } from '../pipeline/request-context.ts'
import { createRateLimit, type Taken } from './token-bucket.ts'

/**
 * **What it does.** Limits the requests of an address that carry no verified credential: unknown paths, pages and health checks,
 * requests without or with a rejected credential, requests that cannot be parsed. Each counts once.
 *
 * The connection of a request beyond the allowance is closed after its response, and connections are limited per address.
 *
 * **Participants.** A token bucket per address (per /64, with IPv6), filled with `perMinute` tokens a minute. The pipeline
 * rejects with 429 what cannot carry a credential; the audit stage folds what is beyond the allowance (audit/folds.ts).
 *
 * **Guarantees.** A verified request takes nothing from its address's allowance, so clients behind one address do not lock each
 * other out. At most `addressesMax` buckets are kept. Beyond that the bucket used longest ago is dropped and full when its
 * address returns: an attacker with more addresses than that gets more records written, up to the part of the audit spool that
 * unverified requests may fill, and never into the part reserved for verified ones.
 *
 * **Not guaranteed.** That replicas agree: N replicas allow N times as many.
 */
export interface UnverifiedRequests {
  /** Takes one request from the address's allowance; `retryAfterSeconds` is above 0 where it is beyond. */
  take(address: string): Taken
  /** Takes the request from its address's allowance, the first time it is asked. */
  takeOf(exchange: Exchange): Taken
  /** Throws rate_limited where the request is beyond the allowance. */
  refuse(exchange: Exchange, response: Response): void
}

export function createUnverifiedRequests(perMinute: number, addressesMax = 10_000): UnverifiedRequests {
  const limit = createRateLimit({ perSecond: perMinute / 60, burst: perMinute }, addressesMax)
  const take = (address: string) => limit.take(addressBlock(address))
  const takeOf = (exchange: Exchange) => {
    exchange.unverified ??= take(exchange.address)
    return exchange.unverified
  }
  return {
    take,
    takeOf,
    refuse(exchange, response) {
      const { retryAfterSeconds, remaining, resetSeconds } = takeOf(exchange)
      if (retryAfterSeconds === 0) return
      exchange.quotas = {
        'RateLimit-Policy': `"address";q=${perMinute};w=60`,
        RateLimit: `"address";r=${remaining};t=${Math.ceil(resetSeconds)}`,
      }
      setQuotaHeaders(response, exchange.quotas)
      throw tooManyUnverified(retryAfterSeconds)
    },
  }
}

/** Ends the connection after the response, so that each further request costs its sender a connection. */
export function closeAfter(response: Response): void {
  response.shouldKeepAlive = false
}

export function tooManyUnverified(retryAfterSeconds: number): Problem {
  const detail = 'Too many requests without a valid credential from this address'
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}
