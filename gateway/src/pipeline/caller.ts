import type { Assertion } from '@payments/chassis/assertion/assertion'
import type { Browser } from '@payments/chassis/base/caller'
import { assertedPermissions } from '@payments/contracts/grammar/asserted-permissions'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Request } from 'express'
import type { Principal } from '../authorization/principal.ts'
import { shownUserAgent } from './audit.ts'
import type { Hosts } from './hosts.ts'
import type { AuthenticatedContext, MatchedContext } from './request-context.ts'
import { isSameOrigin, readCookies } from './session-cookie.ts'

/** The caller that the assertion names to a service. */
export type AssertedCaller = Omit<Assertion, 'traceId' | 'operator'>

/**
 * The principal as services see it, with the permissions that the endpoint needs and its handler reads. Every service
 * learns the session and its roles, because a rule may forbid users to change their own access. Of other credentials,
 * only endpoints with the audience `authenticated` learn the roles, with their names.
 */
export function assertedCaller({ principal, route }: AuthenticatedContext): AssertedCaller {
  const { tenantId, actor, sessionId, isSessionToken, roleIds } = principal
  const permissions = assertedPermissions(route.endpoint, principal.permissions)
  if (sessionId !== null) return { tenantId, actor, permissions, sessionId, isSessionToken, roleIds }
  if (route.endpoint.audience === 'authenticated') return { tenantId, actor, permissions, ...assertedRoles(principal) }
  return { tenantId, actor, permissions }
}

/** More names would make the assertion too long for a header. The service then reads them from rbac. */
const roleNamesBytesMax = 2_000

function assertedRoles({ roleIds, roleNames }: Principal): Pick<AssertedCaller, 'roleIds' | 'roleNames'> {
  const isShort = Buffer.byteLength(JSON.stringify(roleNames)) <= roleNamesBytesMax
  return isShort ? { roleIds, roleNames } : { roleIds }
}

/** Anyone, with the browser at a page that declares cookies. */
export function anyone(request: Request, { route, address }: MatchedContext): AssertedCaller {
  const caller = { tenantId: null, actor: { type: 'anonymous', id: 'anonymous' }, permissions: [] } as const
  const { cookies } = route.endpoint
  return cookies === undefined ? caller : { ...caller, browser: readBrowser(request, address, cookies) }
}

/** The values that we set are shorter. A longer one would make the assertion too long for a header. */
const cookieCharactersMax = 512

function readBrowser(request: Request, address: string, declared: readonly string[]): Browser {
  const sent = readCookies(request)
  const cookies = declared.flatMap((name): [string, string][] => {
    const [value, ...others] = sent.get(name) ?? []
    return value === undefined || others.length > 0 || value.length > cookieCharactersMax ? [] : [[name, value]]
  })
  const load = readLoad(request)
  const browser = { address, userAgent: shownUserAgent(request), cookies: Object.fromEntries(cookies) }
  return load === undefined ? browser : { ...browser, load }
}

/** Older browsers send no Fetch Metadata. `Sec-Purpose`: the browser loads the page ahead of a click. */
function readLoad({ headers }: Request): Browser['load'] {
  const destination = headers['sec-fetch-dest'] ?? 'document'
  if (destination !== 'document' || headers['sec-purpose'] !== undefined) return 'embedded'
  const site = headers['sec-fetch-site']
  return site === 'cross-site' || site === 'same-site' ? 'foreign_link' : undefined
}

/** Whether a page of another site loads the request as an image, frame, script or ahead of a click. */
export const isEmbeddedElsewhere = (request: Request): boolean =>
  request.headers['sec-fetch-site'] === 'cross-site' && readLoad(request) === 'embedded'

/**
 * Rejects a form of a page with cookies that no page of the console's origin sent: the service would act for the person
 * whose cookies the browser attaches. Throws cross_site_request.
 */
export function rejectCrossSiteForm(request: Request, { method, cookies }: Endpoint, hosts: Hosts): void {
  if (cookies === undefined || method === 'GET') return
  if (hosts.consoleOrigin !== undefined && isSameOrigin(request, hosts.consoleOrigin)) return
  throw new Problem(commonProblems.cross_site_request, { detail: 'The form was sent from another site' })
}
