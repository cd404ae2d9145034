import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { openOperatorCalls } from '@payments/messaging/operator-calls'
import { createApp } from './app.ts'
import { openBroker } from './broker/broker.ts'
import { directoryExporter } from './checkpoints/directory-exporter.ts'
import { readConfig, sealKeysOf } from './config.ts'
import { startConsumers } from './consumers.ts'
import { startCheckpointExport, startJobs } from './jobs.ts'
import { openDatabase } from './store/database.ts'

await run(async () => {
  const config = readConfig()
  const log = createLog('audit', config.LOG_LEVEL)
  const metrics = createMetrics('audit')
  const db = openDatabase(config.DATABASE_URL)
  const address = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const broker = await openBroker(address, log)
  const publishing = { broker: address, producer: config.AUDIT_MESSAGE_KEY, log, metrics: metrics.registry }
  const operatorCalls = await openOperatorCalls({ db: db.sql, ...publishing })
  const deps = {
    db,
    retentionDays: config.AUDIT_RETENTION_DAYS,
    sealKeys: sealKeysOf(config),
    now: () => new Date(),
    keys: config.ASSERTION_VERIFY_KEYS,
    broker: broker.check,
    log,
    metrics,
  }
  const server = createFastServer(createApp(deps))
  const consumer = startConsumers(deps, { ...broker, messageKeys: config.AUDIT_MESSAGE_KEYS })
  const jobs = startJobs(deps, config.AUDIT_SEAL_INTERVAL_MS)
  const { AUDIT_CHECKPOINT_DIRECTORY: directory, AUDIT_CHECKPOINT_INTERVAL_MS: intervalMs } = config
  if (directory !== undefined) jobs.push(startCheckpointExport(deps, directoryExporter(directory), intervalMs))
  log.info({ port: await listen(server, { host: config.HOST, port: config.PORT }) }, 'listening')
  const drain = async () => {
    await Promise.all([stopServer(server), consumer.stop(), ...jobs.map((job) => job.stop())])
    await operatorCalls.close()
    await broker.close()
    await db.close()
  }
  return { log, drain }
})
