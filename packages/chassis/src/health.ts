import express, { type Express, Router } from 'express'
import { within } from './deadline.ts'
import type { Metrics } from './metrics.ts'

/** Resolves with null if ready, else with the reason. A check that lasts longer than 2 s counts as not ready. */
export type ReadinessCheck = () => Promise<string | null>

const checkTimeoutMs = 2_000

/** `/healthz` reports that the process runs; `/readyz` whether it can serve, or the reasons why not. */
export function healthRouter(checks: Readonly<Record<string, ReadinessCheck>>): Router {
  const router = Router()
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'alive' })
  })
  router.get('/readyz', async (_request, response) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await run(check)] as const),
    )
    const reasons = Object.fromEntries(results.filter(([, reason]) => reason !== null))
    const ready = Object.keys(reasons).length === 0
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', reasons })
  })
  return router
}

export function metricsRouter(metrics: Metrics): Router {
  const router = Router()
  router.get('/metrics', async (_request, response) => {
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
  return router
}

/** The app of a process that serves only health and metrics. */
export function healthApp(checks: Readonly<Record<string, ReadinessCheck>>, metrics: Metrics): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag')
  return app.use(healthRouter(checks)).use(metricsRouter(metrics))
}

async function run(check: ReadinessCheck): Promise<string | null> {
  try {
    return await within(checkTimeoutMs, 'readiness check', check())
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
