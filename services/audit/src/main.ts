import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { createApp } from './app.ts'
import { openBroker } from './broker.ts'
import { readConfig } from './config.ts'
import { startConsumers } from './consumers.ts'
import { startJobs } from './jobs.ts'
import { openDatabase } from './store/database.ts'

await run(async () => {
  const config = readConfig()
  const log = createLog('audit', config.LOG_LEVEL)
  const db = openDatabase(config.DATABASE_URL)
  const broker = await openBroker({ url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }, log)
  const deps = {
    db,
    retentionDays: config.AUDIT_RETENTION_DAYS,
    now: () => new Date(),
    keys: config.ASSERTION_VERIFY_KEYS,
    broker: broker.check,
    log,
    metrics: createMetrics('audit'),
  }
  const server = createFastServer(createApp(deps))
  const consumer = startConsumers(deps, broker)
  const jobs = startJobs(deps, config.AUDIT_SEAL_INTERVAL_MS)
  log.info({ port: await listen(server, { host: config.HOST, port: config.PORT }) }, 'listening')
  const drain = async () => {
    await Promise.all([stopServer(server), consumer.stop(), ...jobs.map((job) => job.stop())])
    await broker.close()
    await db.close()
  }
  return { log, drain }
})
