import { healthApp } from '@payments/chassis/health'
import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { createApp } from './app.ts'
import { openAuditSpool } from './audit/spool.ts'
import { connectionLimits, readConfig } from './config.ts'
import { createDeps } from './deps.ts'
import { limitMetrics } from './limits/metrics.ts'
import { closeForwarding } from './pipeline/forward.ts'
import { createGatewayServer } from './server.ts'

await run(async () => {
  const config = readConfig()
  const log = createLog('gateway', config.LOG_LEVEL)
  const metrics = createMetrics('gateway')
  const audit = await openAuditSpool({
    directory: config.AUDIT_DIRECTORY,
    fileBytesMax: config.AUDIT_FILE_BYTES_MAX,
    broker: { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX },
    producer: config.AUDIT_MESSAGE_KEY,
    log,
    metrics,
  })
  const deps = createDeps(config, audit, log)
  const server = createGatewayServer(
    createApp(deps, { trustedProxies: config.TRUSTED_PROXIES }),
    { spool: audit, unverified: deps.limits.unverified, log },
    { limits: connectionLimits(config), observer: limitMetrics(metrics.registry, deps.permitsOf) },
  )
  const internal = createFastServer(healthApp(deps.readiness, metrics))
  await listen(internal, { host: config.HOST, port: config.INTERNAL_PORT })
  const port = await listen(server, { host: config.HOST, port: config.PORT })
  log.info({ port }, 'listening')
  return {
    log,
    drain: async () => {
      await stopServer(server)
      await deps.resolver.close()
      await closeForwarding(deps.forwarding)
      await audit.close()
      await stopServer(internal)
    },
  }
})
