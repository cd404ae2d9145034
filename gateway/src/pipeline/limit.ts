import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Request, Response } from 'express'
import type { Principal } from '../authorization/resolver.ts'
import type { FailedAuthentications } from '../limits/failed-authentications.ts'
import type { Limits } from '../limits/limits.ts'
import type { RateLimit, Taken } from '../limits/token-bucket.ts'
import type { Route } from '../route-table.ts'
import { type Exchange, setQuotaHeaders } from './request-context.ts'

export function refuseAddress(failures: FailedAuthentications, { address }: Exchange): void {
  const seconds = failures.refusedForSeconds(address)
  if (seconds !== undefined) throw tooManyFailures(seconds)
}

export function tooManyFailures(retryAfterSeconds: number): Problem {
  const detail = 'Too many failed authentications from this address'
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}

/**
 * Counts the request against what its credential, its tenant and, where it reveals a secret, its actor may ask for, whatever
 * becomes of it. Resolves with the refusal where it is one too many, to be thrown once nothing weightier stands against it.
 *
 * The answer tells what is left, in the fields of draft-ietf-httpapi-ratelimit-headers-11. What a credential may not take is
 * not taken from its tenant: one that is beyond its limit leaves the others theirs.
 */
export async function limit(
  limits: Limits,
  route: Route,
  principal: Principal,
  exchange: Exchange,
  response: Response,
): Promise<Problem | undefined> {
  const { actor, tenantId } = principal
  const name = actor.type === 'api_key' ? 'key' : 'user'
  const own = limits.credential.take(actor.type === 'api_key' ? actor.id : `${tenantId} ${actor.id}`)
  const ofTenant = own.retryAfterSeconds > 0 ? undefined : limits.tenant.take(tenantId)
  let refusal = refusalOf(name, limits.credential, own) ?? refusalOf('tenant', limits.tenant, ofTenant)
  exchange.quotas = {
    'RateLimit-Policy': limits.policyOf[name],
    RateLimit: itemOf(name, own) + (ofTenant === undefined ? '' : `, ${itemOf('tenant', ofTenant)}`),
  }
  setQuotaHeaders(response, exchange.quotas)
  if (refusal === undefined && route.endpoint.reveals === true) {
    refusal = await limits.takeReveal(principal, exchange).then(tooManyReveals, refusedForNow)
  }
  return refusal
}

function itemOf(name: string, { remaining, resetSeconds }: Taken): string {
  return `"${name}";r=${remaining};t=${Math.ceil(resetSeconds)}`
}

function refusalOf(name: string, { policy }: RateLimit, taken: Taken | undefined): Problem | undefined {
  if (taken === undefined || taken.retryAfterSeconds === 0) return undefined
  const detail = `The ${name} may make ${policy.perSecond} requests a second, and ${policy.burst} at once`
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds: taken.retryAfterSeconds })
}

function tooManyReveals(retryAfterSeconds: number): Problem | undefined {
  if (retryAfterSeconds === 0) return undefined
  return new Problem(commonProblems.rate_limited, { detail: 'Too many reveals within a minute', retryAfterSeconds })
}

/** Without its count no secret is revealed; but a caller who may not reveal at all is told that, and not this. */
function refusedForNow(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

const lingerMs = 2_000

/**
 * A request may be answered before it has been received. What is left of it is read and thrown away, so that the client
 * gets to read the answer, but not for long.
 */
export function cutOffStraggler(request: Request, response: Response): void {
  response.once('close', () => {
    if (request.complete || request.socket.destroyed) return
    request.resume()
    const timer = setTimeout(() => request.socket.destroy(), lingerMs)
    request.once('close', () => clearTimeout(timer))
  })
}
