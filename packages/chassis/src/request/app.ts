import type { Contract } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import express, { type Express } from 'express'
import type { AssertionKeys } from '../assertion/assertion.ts'
import { actorName } from '../base/caller.ts'
import { newId } from '../base/id.ts'
import { redactPath, redactStart } from '../base/redact.ts'
import { type Log, plain } from '../observability/log.ts'
import { type RequestFilter, requestFilter } from '../observability/request-filter.ts'
import { healthRouter, type Readiness } from '../process/health.ts'
import type { Metrics } from '../process/metrics.ts'
import { setRawListeners } from '../process/serve.ts'
import { type LeaseGrants, leaseListeners } from './lease-listener.ts'
import type { OperatorCalls } from './operator-calls.ts'
import { createPagePaths } from './page.ts'
import { problemHandler } from './problem-response.ts'
import { readPath } from './raw-request.ts'
import { contractRouter, type Handlers } from './router.ts'

export type App = Express

/** Of the path in a log line. */
const pathCharactersMax = 2_048

export interface ServiceAppOptions<C extends Contract> {
  readonly contract: C
  readonly handlers: Handlers<C>
  readonly keys: AssertionKeys
  /** Records the calls of operators: `operatorCallsIn` of @payments/messaging. */
  readonly operatorCalls: OperatorCalls
  readonly log: Log
  readonly metrics: Metrics
  readonly readiness: Readiness
  /** Which requests have a log line. Default: all. */
  readonly isLogged?: RequestFilter | undefined
  /** Of an authorization source. */
  readonly leases?: LeaseGrants
}

/** The Express app of a service: health, contract, problems, log lines of requests. Does no I/O itself. */
export function createServiceApp<C extends Contract>(options: ServiceAppOptions<C>): App {
  const {
    contract,
    handlers,
    keys,
    operatorCalls,
    log,
    metrics,
    readiness,
    leases,
    isLogged = requestFilter(1),
  } = options
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing')
  app.set('query parser', 'simple')
  if (leases !== undefined)
    setRawListeners(app, leaseListeners({ ...leases, service: contract.service, keys, log, metrics }))
  app.use(healthRouter({ readiness, log, metrics }))
  const requests = plain(log)
  const pages = createPagePaths([contract])
  app.use((request, response, next) => {
    const startedAt = performance.now()
    response.on('close', () => {
      const durationMs = performance.now() - startedAt
      const { operation = 'none', traceId, code, route, assertion } = response.locals
      const { waits, changesAuthorization } = contract.endpoints[operation] ?? {}
      // The duration of a wait says nothing about the service.
      metrics.observeRequest(operation, response.statusCode, waits === true ? 0 : durationMs / 1000)
      const { statusCode: status } = response
      const isQuiet = waits === true && status < 400
      const { operator } = assertion ?? {}
      if (isQuiet || !isLogged({ traceId, status, durationMs, changesAuthorization, operator })) return
      requests.info(
        {
          trace_id: traceId,
          tenant_id: assertion?.tenantId ?? null,
          actor: assertion === undefined ? null : actorName(assertion.actor),
          operation,
          method: request.method,
          route,
          path: redactStart(pages.hide(readPath(request.originalUrl)), pathCharactersMax, redactPath),
          status,
          code,
          duration_ms: Math.round(durationMs),
        },
        'request',
      )
    })
    next()
  })
  app.use(contractRouter(contract, handlers, { keys, operatorCalls, log }))
  app.use(() => {
    throw new Problem(commonProblems.route_not_found)
  })
  app.use(problemHandler(log, (response) => response.locals.traceId ?? newId()))
  return app
}
