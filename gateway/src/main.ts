import { run } from '@payments/chassis/process/run'
import { createApp } from './app.ts'
import { openAuditSpool } from './audit/spool.ts'
import { connectionLimits, readConfig } from './config.ts'
import { createDeps } from './deps.ts'
import { limitMetrics } from './limits/metrics.ts'
import { closeForwarding } from './pipeline/forward.ts'
import { createGatewayServer } from './server.ts'

await run('gateway', readConfig, async ({ config, log, metrics, serve, serveHealth, work, resource, workLeftMs }) => {
  const audit = await openAuditSpool({
    directory: config.AUDIT_DIRECTORY,
    fileBytesMax: config.AUDIT_FILE_BYTES_MAX,
    broker: { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX },
    producer: config.AUDIT_MESSAGE_KEY,
    log,
    metrics,
  })
  const deps = createDeps(config, audit, log, metrics)
  await serveHealth(deps.readiness, { HOST: config.HOST, PORT: config.INTERNAL_PORT })
  resource(() => audit.close())
  // The calls of clients that have left.
  resource(() => closeForwarding(deps.forwarding, workLeftMs()))
  resource(() => deps.resolver.close())
  resource(async () => deps.limits.close())
  work(deps.waits)
  const app = createApp(deps, { trustedProxies: config.TRUSTED_PROXIES })
  const server = createGatewayServer(
    app,
    { ...deps, spool: audit, unverified: deps.limits.unverified },
    { limits: connectionLimits(config), observer: limitMetrics(metrics.registry, deps) },
  )
  await serve(app, config, server)
})
