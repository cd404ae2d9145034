import { commonProblems, type FieldError, Problem } from '@payments/contracts/grammar/problem'
import type { Credential, Principal } from '../authorization/principal.ts'
import type { Resolver } from '../authorization/resolver.ts'
import type { Limits } from '../limits/limits.ts'
import { tooManyFailures } from './limit.ts'
import { type AuthenticatedContext, isUuid, type RequestContext, readParentTraceId } from './request-context.ts'

/**
 * Resolves the credential of the request to its principal, and counts a wrong one. Cookies, and credentials that were
 * verified there within the hour, are counted apart and up to a higher limit: they are no guesses, and wrong keys
 * must not lock a browser out. A request without a credential is not counted: the allowance of unverified requests
 * bounds it.
 *
 * Throws invalid_credentials for every fault of a credential, a Tenant-ID of another tenant included: the response
 * does not reveal which fault. Throws rate_limited when the address has failed too often, unless the credential was
 * verified there before. Throws session_of_another_tenant, which is no failure, for the cookie of a session whose
 * tenant another tab has switched.
 */
export async function authenticate(
  resolver: Resolver,
  { failures, staleCredentials, known }: Pick<Limits, 'failures' | 'staleCredentials' | 'known'>,
  context: RequestContext,
): Promise<Principal> {
  const { address } = context
  const { value = '' } = readCredential(context) ?? {}
  const isCookie = context.sessionCookie.credential !== undefined
  const caller = known.find(address, value)
  const counted = isCookie || caller !== undefined ? staleCredentials : failures
  const blockedSeconds = counted.blockedForSeconds(address)
  if (blockedSeconds !== undefined && caller?.hasEnded !== false) throw tooManyFailures(blockedSeconds)
  const principal = await resolvePrincipal(resolver, context)
  const [tenantId] = context.singleHeaders['tenant-id']
  const isForeign = isUuid(tenantId) && tenantId.toLowerCase() !== principal?.tenantId.toLowerCase()
  if (principal !== undefined && (isCookie || !isForeign)) {
    known.record(address, value, principal.tenantId)
    if (isForeign) throw sessionOfAnotherTenant()
    return principal
  }
  known.end(address, value)
  if (!hasCredential(context)) throw invalidCredentials()
  const blockedForSeconds = await counted.count(address, context)
  if (blockedForSeconds !== undefined) throw tooManyFailures(blockedForSeconds)
  throw invalidCredentials()
}

/**
 * Resolves the credential again, after the gateway has waited for the client or for another service. A change that
 * was committed during the wait applies to this request too.
 *
 * Throws invalid_credentials, also when the credential now represents another tenant, actor or session.
 */
export async function authenticateAgain(resolver: Resolver, context: AuthenticatedContext): Promise<Principal> {
  const principal = await resolvePrincipal(resolver, context)
  if (principal === undefined || !isSameCaller(principal, context.principal)) {
    throw invalidCredentials()
  }
  return principal
}

/** One text for every fault. */
export function invalidCredentials(): Problem {
  return new Problem(commonProblems.invalid_credentials, { detail: 'The request has no credential that is valid here' })
}

/** One text for every tenant, whether it exists or not. */
function sessionOfAnotherTenant(): Problem {
  const detail = 'The session of the browser is for another tenant than Tenant-ID names. Nothing was changed'
  return new Problem(commonProblems.session_of_another_tenant, { detail })
}

async function resolvePrincipal(resolver: Resolver, context: RequestContext): Promise<Principal | undefined> {
  const credential = readCredential(context)
  return credential === undefined ? undefined : resolver.resolve(credential, { traceId: context.traceId })
}

/** Whether the request has a credential, however wrong. Pages elsewhere make a browser attach a cookie that is none. */
const hasCredential = ({ singleHeaders, sessionCookie }: RequestContext): boolean =>
  singleHeaders.authorization.length > 0 || sessionCookie.credential !== undefined

/** The context has no session cookie beside Authorization. */
function readCredential({ singleHeaders, sessionCookie }: RequestContext): Credential | undefined {
  const { credential, isIdle } = sessionCookie
  if (credential !== undefined) return { kind: 'cookie', value: credential, isIdle }
  const bearer = readBearer(singleHeaders.authorization[0])
  return bearer === undefined ? undefined : { kind: 'bearer', value: bearer }
}

function isSameCaller(one: Principal, other: Principal): boolean {
  const isSameActor = one.actor.type === other.actor.type && one.actor.id === other.actor.id
  return isSameActor && one.tenantId === other.tenantId && one.sessionId === other.sessionId
}

/** RFC 6750: `Bearer`, in any case, and one token. */
function readBearer(authorization = ''): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
}

/**
 * Runs after authentication, so that only an authenticated caller learns about the other headers. Throws
 * invalid_header.
 */
export function requireValidHeaders({ singleHeaders, traceparents, principal }: AuthenticatedContext): void {
  const errors: FieldError[] = []
  const check = (name: string, value: string | undefined, isRequired: boolean) => {
    if (value === undefined ? isRequired : !isUuid(value)) {
      const detail = value === undefined ? 'is missing' : 'must be a UUID'
      errors.push({ pointer: `/headers/${name}`, detail })
    }
  }
  const [traceId] = singleHeaders['trace-id']
  if (traceId !== undefined || traceparents.length === 0) check('Trace-ID', traceId, true)
  else if (readParentTraceId(traceparents) === undefined) {
    errors.push({ pointer: '/headers/traceparent', detail: 'must be one traceparent of W3C Trace Context' })
  }
  check('Tenant-ID', singleHeaders['tenant-id'][0], principal.actor.type === 'api_key')
  if (errors.length === 0) return
  const detail = errors.map((error) => `${error.pointer.slice('/headers/'.length)} ${error.detail}`).join('; ')
  throw new Problem(commonProblems.invalid_header, { detail, errors })
}
