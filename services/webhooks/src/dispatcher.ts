import { run } from '@payments/chassis/process/run'
import { openVault } from '@payments/vault/open'
import { readDispatcherConfig, toAttemptsInFlight, toBreakerRules, toEgressRules } from './config.ts'
import { openDispatcherDatabase } from './dispatch/database.ts'
import { startDispatcher } from './dispatch/start.ts'

await run(
  'webhooks-dispatcher',
  readDispatcherConfig,
  async ({ config, log, metrics, serveHealth, work, resource }) => {
    const db = openDispatcherDatabase(config.DATABASE_URL)
    resource(() => db.close())
    const dispatcher = await startDispatcher({
      broker: { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX },
      verifyKeys: config.EVENT_VERIFY_KEYS,
      db,
      vault: openVault(config, db, metrics.registry),
      schedule: config.WEBHOOKS_RETRY_SCHEDULE,
      breaker: toBreakerRules(config),
      inFlight: toAttemptsInFlight(config),
      retentionDays: config.WEBHOOKS_RETENTION_DAYS,
      egress: { ...toEgressRules(config), proxy: config.WEBHOOKS_EGRESS_PROXY },
      log,
      metrics,
    })
    work(dispatcher)
    await serveHealth(dispatcher.readiness, { HOST: config.HOST, PORT: config.INTERNAL_PORT })
  },
)
