import { commonProblems, type FieldError, Problem } from '@payments/contracts/problem'
import type { Principal, Resolver } from '../authorization/resolver.ts'
import type { FailedAuthentications } from '../limits/failed-authentications.ts'
import type { Route } from '../route-table.ts'
import { authorize } from './authorize.ts'
import { isUuid } from './identify.ts'
import { refuseAddress, tooManyFailures } from './limit.ts'
import type { Exchange } from './request-context.ts'

/**
 * Who is it? One answer, invalid_credentials, for everything that is wrong with a credential, the tenant it is used for
 * included: which it is, is not told.
 */
export async function authenticate(
  authority: Resolver,
  failures: FailedAuthentications,
  exchange: Exchange,
): Promise<Principal> {
  refuseAddress(failures, exchange)
  const bearer = bearerOf(exchange)
  const principal = bearer === undefined ? undefined : await authority.resolve(bearer, { traceId: exchange.traceId })
  const [tenantId] = exchange.given['tenant-id']
  const isForeign = isUuid(tenantId) && tenantId.toLowerCase() !== principal?.tenantId.toLowerCase()
  if (principal === undefined || isForeign) {
    const refusedForSeconds = await failures.count(exchange.address, exchange)
    if (refusedForSeconds !== undefined) throw tooManyFailures(refusedForSeconds)
    throw new Problem(commonProblems.invalid_credentials)
  }
  exchange.principal = principal
  return principal
}

/**
 * Decides about the request again, after the gateway has waited for the client or for another service: what was revoked
 * meanwhile binds this request too. A credential that represents another tenant or actor by now is not good for this request.
 */
export async function authenticateAgain(authority: Resolver, route: Route, exchange: Exchange): Promise<Principal> {
  const { principal: before, traceId } = exchange
  const bearer = bearerOf(exchange)
  const principal = bearer === undefined ? undefined : await authority.resolve(bearer, { traceId })
  if (principal === undefined || before === undefined || !isSameCaller(principal, before)) {
    throw new Problem(commonProblems.invalid_credentials)
  }
  exchange.principal = principal
  authorize(route, principal, exchange)
  return principal
}

function isSameCaller(one: Principal, other: Principal): boolean {
  return one.tenantId === other.tenantId && one.actor.type === other.actor.type && one.actor.id === other.actor.id
}

/** RFC 6750: `Bearer`, in any case, and one token. */
function bearerOf({ given }: Exchange): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(given.authorization[0] ?? '')?.[1]
}

/** Only a good credential learns what is wrong with the headers beside it. */
export function refuseBadHeaders({ given }: Exchange, principal: Principal): void {
  const errors: FieldError[] = []
  const check = (name: string, value: string | undefined, isRequired: boolean) => {
    if (value === undefined ? isRequired : !isUuid(value)) {
      const detail = value === undefined ? 'is missing' : 'must be a UUID'
      errors.push({ pointer: `/headers/${name}`, detail })
    }
  }
  check('Trace-ID', given['trace-id'][0], true)
  check('Tenant-ID', given['tenant-id'][0], principal.actor.type === 'api_key')
  if (errors.length === 0) return
  const detail = errors.map((error) => `${error.pointer.slice('/headers/'.length)} ${error.detail}`).join('; ')
  throw new Problem(commonProblems.invalid_header, { detail, errors })
}
