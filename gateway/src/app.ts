import { healthRouter } from '@payments/chassis/health'
import { problemHandler } from '@payments/chassis/http'
import { plain } from '@payments/chassis/log'
import { commonProblems, Problem } from '@payments/contracts/problem'
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type Response,
} from 'express'
import { teachHoldingBack } from './audit/response-gate.ts'
import type { Deps } from './deps.ts'
import { pages } from './pages/pages.ts'
import { audit } from './pipeline/audit.ts'
import { authenticate, authenticateAgain, refuseBadHeaders } from './pipeline/authenticate.ts'
import { authorize } from './pipeline/authorize.ts'
import { readBody } from './pipeline/body.ts'
import { forward } from './pipeline/forward.ts'
import { identify, refuseUnknownAddress, refuseUnreadableHeaders } from './pipeline/identify.ts'
import { cutOffStraggler, limit } from './pipeline/limit.ts'
import { match } from './pipeline/match.ts'
import { withPermit } from './pipeline/permit.ts'
import { type Exchange, setStandingHeaders } from './pipeline/request-context.ts'
import { guardRouter, refuseAmbiguousTarget } from './pipeline/target.ts'
import type { Route } from './route-table.ts'

/**
 * The gateway: identify → match → authenticate → authorize → limit → read the body → decide again → forward, and an audit
 * record of each. A request is counted before it is authorized, so that refused ones count too, and refused for being one
 * too many after.
 */
export function createApp(deps: Deps, { trustedProxies = 0 } = {}): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing')
  app.set('query parser', 'simple')
  teachHoldingBack(app)
  guardRouter(app)
  const requests = plain(deps.log)
  app.use((request, response, next) => {
    const exchange = identify(request, trustedProxies)
    response.locals.traceId = exchange.traceId
    setStandingHeaders(response, exchange)
    cutOffStraggler(request, response)
    audit({ trail: deps.audit, unverified: deps.limits.unverified, log: requests }, request, response, exchange)
    refuseUnreadableHeaders(request, exchange)
    refuseAmbiguousTarget(request, exchange)
    const route = match(deps.routes, request, response, exchange)
    if (route !== undefined) return admit(deps, route, exchange, request, response, next)
    deps.limits.unverified.refuse(exchange, response)
    return next()
  })
  app.use(healthRouter(deps.readiness)).use(pages())
  app.use(() => {
    throw new Problem(commonProblems.route_not_found)
  })
  app.use(challenge).use(problemHandler(deps.log, ({ locals }) => String(locals.traceId)))
  return app
}

async function admit(
  deps: Deps,
  route: Route,
  exchange: Exchange,
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> {
  refuseUnknownAddress(exchange)
  let principal = await authenticate(deps.authority, deps.limits.failures, exchange)
  const refusal = await limit(deps.limits, route, principal, exchange, response)
  refuseBadHeaders(exchange, principal)
  authorize(route, principal, exchange)
  if (refusal !== undefined) throw refusal
  const reading = readBody(deps.limits.bodies, principal, exchange, request, response)
  const body = reading === null ? null : await reading
  await withPermit(deps.permitsOf(route.service), principal.tenantId, response, async (release, hasWaited) => {
    // The decision is taken last: the gateway has waited for the body, the count of reveals or the permit, and the
    // credential may have lost its permissions meanwhile.
    if (body !== null || route.endpoint.reveals === true || hasWaited) {
      principal = await authenticateAgain(deps.authority, route, exchange)
    }
    // A client that has left is recorded as such. Its request is not forwarded.
    if (response.destroyed) return release()
    forward(deps.forwarding, { route, principal, body, exchange, release }, request, response, next)
  })
}

/** RFC 9110: a 401 says which kind of credential is wanted. A client that has gone is not answered. */
const challenge: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.destroyed) return
  if (error instanceof Problem && error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
  next(error)
}
