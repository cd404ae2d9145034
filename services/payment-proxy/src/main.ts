import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { openOutbox } from '@payments/messaging/open-outbox'
import { openOperatorCalls } from '@payments/messaging/operator-calls'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { createProvider } from './connectors/provider.ts'
import { createSandbox } from './connectors/sandbox.ts'
import { startJobs } from './jobs.ts'
import { openDatabase } from './store/database.ts'

const providerTimeoutMs = 15_000
const sandboxConnectionsMax = 10

await run(async () => {
  const config = readConfig()
  const log = createLog('payment-proxy', config.LOG_LEVEL)
  const metrics = createMetrics('payment-proxy')
  const db = openDatabase(config.DATABASE_URL)
  const broker = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const outbox = await openOutbox({ db, broker, name: 'payment-proxy', log, metrics: metrics.registry })
  const producer = config.AUDIT_MESSAGE_KEY
  const operatorCalls = await openOperatorCalls({ db: db.sql, broker, producer, log, metrics: metrics.registry })
  // The sandbox has its own connections, like an external provider: the service may wait for locks with all of its own.
  const sandboxDb = openDatabase(config.DATABASE_URL, sandboxConnectionsMax)
  const provider = createProvider(createSandbox(sandboxDb), providerTimeoutMs, log)
  const keys = config.ASSERTION_VERIFY_KEYS
  const deps = { db, provider, now: () => new Date(), keys, broker: outbox.check, log, metrics }
  const server = createFastServer(createApp(deps))
  const jobs = startJobs(deps)
  const port = await listen(server, { host: config.HOST, port: config.PORT })
  log.info({ port }, 'listening')
  const drain = async () => {
    await stopServer(server)
    await jobs.stop()
    await Promise.all([outbox.close(), operatorCalls.close()])
    await Promise.all([db.close(), sandboxDb.close()])
  }
  return { log, drain }
})
