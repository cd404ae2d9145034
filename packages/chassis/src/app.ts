import type { Contract } from '@payments/contracts/contract'
import { commonProblems, Problem } from '@payments/contracts/problem'
import express, { type Express } from 'express'
import type { AssertionKeys } from './assertion.ts'
import { healthRouter, metricsRouter, type ReadinessCheck } from './health.ts'
import { problemHandler } from './http.ts'
import { newId } from './id.ts'
import { type Log, plain } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { OperatorCalls } from './operator-calls.ts'
import { contractRouter, type Handlers } from './router.ts'

export type App = Express

export interface ServiceAppOptions<C extends Contract> {
  readonly contract: C
  readonly handlers: Handlers<C>
  readonly keys: AssertionKeys
  /** Records the calls of operators: `operatorCallsIn` of @payments/messaging. */
  readonly operatorCalls: OperatorCalls
  readonly log: Log
  readonly metrics: Metrics
  readonly readiness: Readonly<Record<string, ReadinessCheck>>
  readonly inspectBody?: (body: string) => void
}

/** The Express app of a service: health, contract, problems, one log line per request. Does no I/O itself. */
export function createServiceApp<C extends Contract>(options: ServiceAppOptions<C>): App {
  const { contract, handlers, keys, operatorCalls, log, metrics, readiness, inspectBody } = options
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing')
  app.set('query parser', 'simple')
  app.use(healthRouter(readiness)).use(metricsRouter(metrics))
  const requests = plain(log)
  app.use((request, response, next) => {
    const startedAt = performance.now()
    response.on('close', () => {
      const durationMs = performance.now() - startedAt
      const { operation = 'none', traceId, code } = response.locals
      metrics.observeRequest(operation, response.statusCode, durationMs / 1000)
      const isLogged = contract.endpoints[operation]?.polled !== true || response.statusCode >= 400
      requests[isLogged ? 'info' : 'debug'](
        {
          trace_id: traceId,
          operation,
          method: request.method,
          status: response.statusCode,
          code,
          duration_ms: Math.round(durationMs),
        },
        'request',
      )
    })
    next()
  })
  const inspection = inspectBody === undefined ? {} : { inspectBody }
  app.use(contractRouter(contract, handlers, { keys, operatorCalls, log, ...inspection }))
  app.use(() => {
    throw new Problem(commonProblems.route_not_found)
  })
  app.use(problemHandler(log, (response) => response.locals.traceId ?? newId()))
  return app
}
