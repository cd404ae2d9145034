import { healthApp } from '@payments/chassis/health'
import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { breakerRulesOf, egressOf, readDispatcherConfig } from './config.ts'
import { startDispatcher } from './dispatch/start.ts'
import { openDispatcherDatabase } from './store/database.ts'
import { openVault } from './store/vault.ts'

await run(async () => {
  const config = readDispatcherConfig()
  const log = createLog('webhooks-dispatcher', config.LOG_LEVEL)
  const metrics = createMetrics('webhooks-dispatcher')
  const db = openDispatcherDatabase(config.DATABASE_URL)
  const dispatcher = await startDispatcher({
    broker: { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX },
    db,
    vault: openVault(config, db, metrics.registry),
    schedule: config.WEBHOOKS_RETRY_SCHEDULE,
    breaker: breakerRulesOf(config),
    retentionDays: config.WEBHOOKS_RETENTION_DAYS,
    egress: { ...egressOf(config), proxy: config.WEBHOOKS_EGRESS_PROXY },
    log,
    metrics,
  })
  const server = createFastServer(healthApp(dispatcher.readiness, metrics))
  log.info({ port: await listen(server, { host: config.HOST, port: config.INTERNAL_PORT }) }, 'listening')
  const drain = async () => {
    await dispatcher.stop()
    await stopServer(server)
    await db.close()
  }
  return { log, drain }
})
