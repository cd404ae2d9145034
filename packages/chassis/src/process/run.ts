import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { Express } from 'express'
import { ConfigError } from '../base/config.ts'
import { createLog, type Log } from '../observability/log.ts'
import { startTracing } from '../observability/trace.ts'
import { healthApp, type Readiness } from './health.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createAppServer, listen, stopServer } from './serve.ts'

/** Time of work in progress: 15 s for a payment provider, and the rest for the record of its outcome. */
const workMs = 25_000
/** Time of the resources: the last batches, connections, the database. */
const closeMs = 10_000

/** Longest time from the signal to the end of the process. The orchestrator must wait longer before it kills. */
export function drainMsMax(delayMs: number): number {
  return delayMs + workMs + closeMs
}

/** The variables that `run` reads, of `processConfig` and `listenConfig`. */
export interface RunConfig {
  readonly LOG_LEVEL: string
  readonly DRAIN_DELAY_MS: number
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
}

type Stop = () => Promise<unknown>

interface Stoppable {
  stop(): Promise<unknown>
}

/** The parts that `run` gives to the start of a process. */
export interface Frame<C extends RunConfig> {
  readonly config: C
  readonly log: Log
  readonly metrics: Metrics
  /** Serves the entry point of requests until the drain. `server`: another one than `createAppServer` makes. */
  readonly serve: (app: Express, address: Address, server?: Server) => Promise<void>
  /** Serves health and metrics on their own port, until the resources that were added later are closed. */
  readonly serveHealth: (readiness: Readiness, address: Address) => Promise<void>
  /** Adds work, which the drain stops at the same time as the listeners: jobs, consumers. Returns it. */
  readonly work: <W extends Stoppable>(started: W) => W
  /** Adds a resource, which the drain closes after all work has ended; the last one is closed first. */
  readonly resource: (close: Stop) => void
  /** Milliseconds that work in progress still has during the drain. */
  readonly workLeftMs: () => number
}

interface Address {
  readonly HOST: string
  readonly PORT: number
}

/**
 * **What it does.** Runs a process, and drains it on SIGTERM, SIGINT or a fatal error.
 *
 * **Guarantees.** The drain has this order:
 * 1. `/readyz` is 503, and each response has `Connection: close`. The listeners accept for `DRAIN_DELAY_MS`, except
 *    after a fatal error.
 * 2. The listeners close. Requests, jobs and consumers in progress have 25 s; then their connections are closed.
 * 3. The resources are closed, the last one first.
 *
 * It ends within `drainMsMax`. A second signal ends it at once.
 *
 * **Not guaranteed.** The end of work that takes longer than 25 s: it is recovered as after a crash.
 */
export async function run<C extends RunConfig>(
  name: string,
  readConfig: () => C,
  start: (frame: Frame<C>) => Promise<void>,
): Promise<void> {
  try {
    const config = readConfig()
    const log = createLog(name, config.LOG_LEVEL)
    const { frame, drain } = createFrame(config, log, createMetrics(name))
    frame.resource(await startTracing(name, config, log))
    closeWithGrace({ delay: drainMsMax(config.DRAIN_DELAY_MS), logger: false }, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'stopping after a fatal error')
      else log.info({ signal }, 'stopping')
      await drain(err ? 0 : config.DRAIN_DELAY_MS)
    })
    await start(frame)
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  }
}

function createFrame<C extends RunConfig>(config: C, log: Log, metrics: Metrics) {
  const apps: Express[] = []
  const work: Stop[] = []
  const resources: Stop[] = []
  let workEndsAt = Number.POSITIVE_INFINITY
  const workLeftMs = () => Math.max(0, workEndsAt - performance.now())
  const open = async (app: Express, { HOST: host, PORT: port }: Address, server: Server): Promise<Stop> => {
    apps.push(app)
    log.info({ port: await listen(server, { host, port }) }, 'listening')
    return () => stopServer(server, workLeftMs())
  }
  const attempt = async (step: Stop) => {
    try {
      await step()
    } catch (err) {
      log.error({ err }, 'a step of the drain failed')
    }
  }
  const frame: Frame<C> = {
    config,
    log,
    metrics,
    serve: async (app, address, server = createAppServer(app)) => void work.push(await open(app, address, server)),
    serveHealth: async (readiness, address) => {
      const app = healthApp({ readiness, log, metrics })
      resources.push(await open(app, address, createAppServer(app)))
    },
    work: (started) => {
      work.push(() => started.stop())
      return started
    },
    resource: (close) => void resources.push(close),
    workLeftMs,
  }
  const drain = async (delayMs: number) => {
    for (const app of apps) app.enable('draining')
    await delay(delayMs)
    workEndsAt = performance.now() + workMs
    await Promise.all(work.map(attempt))
    for (const close of resources.reverse()) await attempt(close)
  }
  return { frame, drain }
}
