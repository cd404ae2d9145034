import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { createApp } from './app.ts'
import { openBroker } from './broker.ts'
import { readApiConfig } from './config.ts'
import { startApiJobs } from './jobs.ts'
import { operatorTopology } from './queues.ts'
import { openDatabase } from './store/database.ts'
import { openVault } from './vault.ts'

await run(async () => {
  const config = readApiConfig()
  const log = createLog('webhooks', config.LOG_LEVEL)
  const db = openDatabase(config.DATABASE_URL)
  const prefix = config.MESSAGING_PREFIX
  const topology = operatorTopology(prefix)
  const broker = await openBroker({ url: config.AMQP_URL, prefix, name: 'webhooks', topology, log })
  const app = createApp({
    db,
    vault: openVault(config, db),
    destinations: { allowPrivate: config.WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS },
    deadLetters: broker.deadLetters,
    keys: config.ASSERTION_VERIFY_KEYS,
    log,
    metrics: createMetrics('webhooks'),
  })
  const server = createFastServer(app)
  const jobs = startApiJobs({ db, log })
  log.info({ port: await listen(server, { host: config.HOST, port: config.PORT }) }, 'listening')
  const drain = async () => {
    await Promise.all([stopServer(server), ...jobs.map((job) => job.stop())])
    await broker.close()
    await db.close()
  }
  return { log, drain }
})
