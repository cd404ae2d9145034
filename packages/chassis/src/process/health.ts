import express, { type Express, Router } from 'express'
import { DeadlineError, within } from '../base/deadline.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from './metrics.ts'

/**
 * Resolves with null while the component works, else with the reason in plain words, which anyone may read. A check
 * that throws, or lasts longer than 2 s, counts as failed; its error goes to the log only.
 */
export type ReadinessCheck = () => Promise<string | null>

type Checks = Readonly<Record<string, ReadinessCheck>>

export interface Readiness {
  /** The process cannot serve without these components: `/readyz` is 503. */
  readonly required: Checks
  /** The process serves without these components: they are reported only. */
  readonly optional?: Checks
}

export interface HealthOptions {
  readonly readiness: Readiness
  readonly log: Log
  /** Given: `/metrics` is served too. */
  readonly metrics?: Metrics
}

const checkTimeoutMs = 2_000

/**
 * `/healthz` reports that the process runs. `/readyz` reports whether the process can serve: `reasons` names the
 * required components that fail, `degraded` the optional ones. It is 503 while the process drains.
 */
export function healthRouter({ readiness: { required, optional = {} }, log, metrics }: HealthOptions): Router {
  const router = Router()
  const evaluate = evaluator(log)
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'alive' })
  })
  router.get('/readyz', async (request, response) => {
    const [reasons, degraded] = await Promise.all([evaluate(required), evaluate(optional)])
    const isReady = Object.keys(reasons).length === 0
    const status = request.app.enabled('draining') ? 'draining' : isReady ? 'ready' : 'not_ready'
    response.status(status === 'ready' ? 200 : 503).json({ status, reasons, degraded })
  })
  if (metrics === undefined) return router
  return router.get('/metrics', async (_request, response) => {
    const checks = { ...required, ...optional }
    const failing = await evaluate(checks)
    for (const name of Object.keys(checks)) metrics.observeComponent(name, !Object.hasOwn(failing, name))
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}

/** The app of a process that serves only health and metrics. */
export function healthApp(options: HealthOptions): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag')
  return app.use(healthRouter(options))
}

/**
 * Runs checks at the same time. Returns the reasons of those that fail. Logs an error when it begins, not each time.
 */
function evaluator(log: Log): (checks: Checks) => Promise<Record<string, string>> {
  const logged = new Set<string>()
  const run = async (name: string, check: ReadinessCheck): Promise<string | null> => {
    try {
      const reason = await within(checkTimeoutMs, 'readiness check', check())
      logged.delete(name)
      return reason
    } catch (err) {
      if (!logged.has(name)) log.warn({ err, component: name }, 'a readiness check failed')
      logged.add(name)
      return err instanceof DeadlineError ? 'does not respond' : 'is unavailable'
    }
  }
  return async (checks) => {
    const entries = Object.entries(checks).map(async ([name, check]) => [name, await run(name, check)] as const)
    const failing = (await Promise.all(entries)).filter((entry): entry is [string, string] => entry[1] !== null)
    return Object.fromEntries(failing)
  }
}
