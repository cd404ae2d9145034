import { hash } from 'node:crypto'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Limits } from '../limits/limits.ts'
import type { RateLimit, RateLimitFields, Taken } from '../limits/token-bucket.ts'
import type { AuthenticatedContext } from './request-context.ts'

export function tooManyFailures(retryAfterSeconds: number): Problem {
  const detail = 'Too many failed authentications from this address'
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}

export interface Counted {
  readonly fields: RateLimitFields
  /** The rate_limited problem when the request is beyond a limit. */
  readonly rejection: Problem | undefined
}

/**
 * Counts the request against the rate of its credential and of its tenant. Returns the rate-limit problem instead of
 * throwing it, so that authorization errors take precedence.
 *
 * A request beyond the limit of its credential takes nothing from its tenant: other credentials keep their share.
 */
export function limit(limits: Limits, { principal: { actor, tenantId } }: AuthenticatedContext): Counted {
  const name = actor.type === 'api_key' ? 'key' : 'user'
  const credential = limits.credential.take(actor.type === 'api_key' ? actor.id : userSubject(tenantId, actor.id))
  const tenant = credential.retryAfterSeconds > 0 ? undefined : limits.tenant.take(tenantId)
  return {
    fields: {
      'RateLimit-Policy': limits.policies[name],
      RateLimit: formatItem(name, credential) + (tenant === undefined ? '' : `, ${formatItem('tenant', tenant)}`),
    },
    rejection: findRejection(name, limits.credential, credential) ?? findRejection('tenant', limits.tenant, tenant),
  }
}

/**
 * Counts a request that reveals a secret against the reveals of its actor. Returns the problem instead of throwing
 * it: rate_limited, or authorization_unavailable while reveals cannot be counted. No secret is revealed without its
 * count.
 */
export async function limitReveals(limits: Limits, context: AuthenticatedContext): Promise<Problem | undefined> {
  if (context.route.endpoint.reveals !== true) return undefined
  try {
    const retryAfterSeconds = await limits.takeReveal(context.principal, context)
    if (retryAfterSeconds === 0) return undefined
    return new Problem(commonProblems.rate_limited, { detail: 'Too many reveals within a minute', retryAfterSeconds })
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

const userCharactersMax = 64

/** Another issuer chooses the ids of its users. A long one is hashed, so that the bucket of each user has one size. */
function userSubject(tenantId: string, id: string): string {
  return `${tenantId} ${id.length > userCharactersMax ? hash('sha256', id, 'base64') : id}`
}

function formatItem(name: string, { remaining, resetSeconds }: Taken): string {
  return `"${name}";r=${remaining};t=${Math.ceil(resetSeconds)}`
}

function findRejection(name: string, { policy }: RateLimit, taken: Taken | undefined): Problem | undefined {
  if (taken === undefined || taken.retryAfterSeconds === 0) return undefined
  const detail = `The ${name} may send ${policy.perSecond} requests per second, with bursts of ${policy.burst}`
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds: taken.retryAfterSeconds })
}
