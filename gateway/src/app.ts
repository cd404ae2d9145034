import { actorName } from '@payments/chassis/base/caller'
import type { Release } from '@payments/chassis/base/fair-permits'
import { plain } from '@payments/chassis/observability/log'
import { tracing } from '@payments/chassis/observability/trace'
import { healthRouter } from '@payments/chassis/process/health'
import { problemHandler } from '@payments/chassis/request/problem-response'
import { readPath } from '@payments/chassis/request/raw-request'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type Response,
} from 'express'
import { installResponseGate } from './audit/response-gate.ts'
import type { Principal } from './authorization/principal.ts'
import type { Deps } from './deps.ts'
import type { PublicGroup } from './limits/body-budget.ts'
import { addressBlock } from './limits/client-ip.ts'
import { knownCallerKey } from './limits/known-callers.ts'
import type { UnverifiedRequests } from './limits/unverified-requests.ts'
import { errorPage } from './pages/error-page.ts'
import { prefersPage } from './pages/negotiation.ts'
import { pages, setPagePolicy } from './pages/pages.ts'
import { encodeForTarget, pagePaths } from './pages/problem-page.ts'
import { audit, type RequestAuditing } from './pipeline/audit.ts'
import { authenticate, authenticateAgain, requireValidHeaders } from './pipeline/authenticate.ts'
import { authorize, signInAgeSecondsMax } from './pipeline/authorize.ts'
import { drainUnreadBody, readBody } from './pipeline/body.ts'
import { anyone, assertedCaller, isEmbeddedElsewhere, rejectCrossSiteForm } from './pipeline/caller.ts'
import { setDeprecationFields } from './pipeline/deprecation.ts'
import { forward } from './pipeline/forward.ts'
import { limit, limitReveals } from './pipeline/limit.ts'
import { releaseOnError, withPermit } from './pipeline/permit.ts'
import {
  type CurrentContext,
  type MatchedContext,
  type RequestContext,
  readContext,
  rejectAmbiguousHeaders,
  requireKnownAddress,
  setCommonHeaders,
} from './pipeline/request-context.ts'
import { rejectTwoCredentials } from './pipeline/session-cookie.ts'
import { guardRouter, rejectAmbiguousTarget } from './pipeline/target.ts'
import { traceRequest } from './pipeline/trace.ts'
import type { Match, Route } from './route-table.ts'

/**
 * Creates the gateway. gateway/README.md has the order of the stages. A request of a public endpoint is neither
 * authenticated nor authorized.
 *
 * Each stage returns what the stage learned and changes no context. Only this file creates the next context.
 */
export function createApp(deps: Deps, { trustedProxies = 0 } = {}): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing')
  app.set('query parser', 'simple')
  installResponseGate(app)
  guardRouter(app)
  const auditing = { spool: deps.audit, log: plain(deps.log), isLogged: deps.isLogged }
  app.use((request, response, next) => {
    const flow: Flow = { request, response, next, context: readContext(request, deps.hosts, trustedProxies) }
    return start(deps, auditing, flow)
  })
  app.use(healthRouter(deps)).use(pages(deps.addresses))
  app.use(() => {
    throw notFound()
  })
  const readTraceId = ({ locals }: Pick<Response, 'locals'>) => String(locals.traceId)
  app.use(setProblemHeaders).use(showProblem(deps, readTraceId))
  return app
}

function notFound(): Problem {
  return new Problem(commonProblems.route_not_found, { detail: 'No endpoint or page has this path' })
}

/** The response carries the allowed methods in `Allow` (RFC 9110, 15.5.6). */
function methodNotAllowed(response: Response, allowed: readonly string[]): Problem {
  response.setHeader('Allow', allowed.join(', '))
  return new Problem(commonProblems.method_not_allowed, { detail: `The path allows ${allowed.join(', ')}` })
}

/**
 * One request in the pipeline. `context` is the newest context, which the audit record reads when the response ends.
 */
interface Flow {
  readonly request: Request
  readonly response: Response
  readonly next: NextFunction
  context: RequestContext
}

/** Stores the newest context and returns it. */
function update<C extends RequestContext>(flow: Flow, context: C): C {
  flow.context = context
  return context
}

/**
 * The stages of every request. A request of a route continues with its forwarding, another one with health and pages.
 */
function start(deps: Deps, auditing: RequestAuditing, flow: Flow): void | Promise<void> {
  const { request, response, next, context } = flow
  const current: CurrentContext = () => flow.context
  response.locals.traceId = context.traceId
  setCommonHeaders(response, context, deps.strictTransportSecurity)
  drainUnreadBody(request, response)
  const isServed = deps.hosts.serves(context.path, request.headers.host)
  const found = isServed ? deps.routes.match(request.method, context.path) : undefined
  if (found?.kind === 'route') setDeprecationFields(response, found.route.endpoint)
  const allowance = selectLimit(deps, request, found).allow(context.address, knownBrowserKey(deps, context))
  audit(auditing, { request, response, current, allowance })
  rejectAmbiguousHeaders(request, context)
  rejectAmbiguousTarget(request, context)
  if (found?.kind === 'other_method') throw methodNotAllowed(response, found.allowed)
  const route = found?.route
  const isPublic = route?.endpoint.audience === 'public'
  if (route === undefined || isPublic) allowance.require(response)
  if (route !== undefined) {
    const forwardMatched = isPublic ? forwardForAnyone : forwardForTenant
    const matched = { ...context, route }
    if (tracing === undefined) return forwardMatched(deps, flow, update(flow, matched))
    const span = traceRequest(tracing, { request, response, current }, matched)
    return tracing.run(span, () => forwardMatched(deps, flow, update(flow, { ...matched, span })))
  }
  const documentation = deps.hosts.documentationOrigin(context.path, request.headers.host)
  if (documentation !== undefined) return redirect(response, `${documentation}${request.url}`)
  if (!isServed) throw notFound()
  next()
}

function redirect(response: Response, location: string): void {
  response.set({ Location: location, 'Cache-Control': 'no-cache' }).status(302).end()
}

function selectLimit({ limits }: Deps, request: Request, found: Match | undefined): UnverifiedRequests {
  if (isEmbeddedElsewhere(request)) return limits.embedded
  const isWebhook =
    found?.kind === 'route' && found.route.endpoint.audience === 'public' && selectGroup(found.route) === 'webhooks'
  return isWebhook ? limits.webhooks : limits.unverified
}

/** A browser whose session was verified at this address: its page loads and forms show no credential. */
function knownBrowserKey({ limits }: Deps, { address, sessionCookie: { value } }: RequestContext): string | undefined {
  const isKnown = value !== undefined && limits.known.find(address, value)?.hasEnded === false
  return isKnown ? knownCallerKey(address, value) : undefined
}

/** The group of limits of a public endpoint, by its callers: servers, or people in browsers. */
function selectGroup({ endpoint }: Route): PublicGroup {
  return endpoint.calledByServers === true ? 'webhooks' : 'pages'
}

async function forwardForTenant(deps: Deps, flow: Flow, matched: MatchedContext): Promise<void> {
  const { request, response, next } = flow
  requireKnownAddress(matched)
  rejectTwoCredentials(request, matched.sessionCookie)
  const principal = await authenticate(deps.resolver, deps.limits, matched)
  let context = update(flow, { ...matched, principal })

  // Count, authorize, then reject: a denied request counts too, and an authorization error precedes a rate limit.
  const counted = limit(deps.limits, context)
  response.set(counted.fields)
  const rejection = counted.rejection ?? (await limitReveals(deps.limits, context))
  requireValidHeaders(context)
  authorize(context)
  if (rejection !== undefined) throw rejection

  const { endpoint, service } = context.route
  const reading = readBody(deps.limits.bodies, { sender: principal, endpoint }, request, response, () => flow.context)
  const body = reading === null ? null : await reading
  const isWait = endpoint.waits === true && !isImmediate(request)
  const authorizeAgain = async () => {
    const again = { ...context, principal: await authenticateAgain(deps.resolver, context) }
    authorize(again)
    return again
  }
  const proceed = async (release: Release, hasQueued: boolean) => {
    // Since the first decision, the credential may have lost its permissions.
    if (body !== null || endpoint.reveals === true || hasQueued) context = update(flow, await authorizeAgain())
    // A client that has left gets a record, and its request is not forwarded.
    if (response.destroyed) return release()
    const wait = isWait ? { register: deps.waits.register, authorizeAgain } : undefined
    const toForward = { context, caller: assertedCaller(context), body, release, wait }
    update(flow, { ...context, call: forward(deps.forwarding, toForward, request, response, next) })
  }
  if (isWait) {
    const release = await deps.waits.acquire(principal)
    await releaseOnError(release, () => proceed(release, false))
  } else await withPermit(deps.servicePermits(service).tenants, permitSubject(principal), response, proceed)
}

/** The credentials of a tenant take turns. */
const permitSubject = ({ tenantId, actor }: Principal) => ({ id: tenantId, member: actorName(actor) })

/** Whether a request of an endpoint that waits gets its response at once. */
const isImmediate = ({ originalUrl }: Request) =>
  new URLSearchParams(originalUrl.split('?', 2)[1]).getAll('wait_seconds').join() === '0'

/**
 * Anyone may call a public endpoint. A credential is ignored. Bodies and permits are limited per address, apart from
 * the bodies and permits of tenants.
 */
async function forwardForAnyone(deps: Deps, flow: Flow, matched: MatchedContext): Promise<void> {
  const { request, response, next } = flow
  requireKnownAddress(matched)
  const { endpoint, service } = matched.route
  rejectCrossSiteForm(request, endpoint, deps.hosts)
  const address = addressBlock(matched.address)
  const sender = { address, group: selectGroup(matched.route) }
  const charge = () => selectLimit(deps, request, { kind: 'route', route: matched.route }).takeCostly(matched.address)
  const body = await readBody(deps.limits.bodies, { sender, endpoint, charge }, request, response, () => flow.context)
  await withPermit(deps.servicePermits(service).addresses, { id: address }, response, (release) => {
    if (response.destroyed) return release()
    const toForward = { context: matched, caller: anyone(request, matched), body, release }
    update(flow, { ...matched, call: forward(deps.forwarding, toForward, request, response, next) })
  })
}

const challenges: Readonly<Record<string, string>> = {
  // RFC 9470.
  [commonProblems.step_up_required.code]:
    'Bearer error="insufficient_user_authentication", ' +
    `error_description="The operation requires a recent sign-in", max_age=${signInAgeSecondsMax}`,
}

/**
 * RFC 9110: a 401 names the type of credential. A client that has left gets no response.
 */
const setProblemHeaders: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.destroyed) return
  if (error instanceof Problem && error.status === 401) {
    response.setHeader('WWW-Authenticate', challenges[error.code] ?? 'Bearer')
  }
  next(error)
}

/** A reader in a browser gets a page, unless an endpoint has the path: its clients are programs. */
function showProblem({ log, routes }: Deps, readTraceId: Parameters<typeof problemHandler>[1]): ErrorRequestHandler {
  const toProgram = problemHandler(log, readTraceId, encodeForTarget)
  const toReader = problemHandler(log, readTraceId, errorPage())
  return (error: unknown, request, response, next) => {
    const path = readPath(request.originalUrl)
    const isFree = routes.match(request.method, path) === undefined && !pagePaths.has(path)
    if (isFree) response.vary('Accept')
    if (!isFree || !prefersPage(request)) toProgram(error, request, response, next)
    else setPagePolicy(request, response, () => toReader(error, request, response, next))
  }
}
