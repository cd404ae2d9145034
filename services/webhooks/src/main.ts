import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { openOperatorCalls } from '@payments/messaging/operator-calls'
import { startRelay } from '@payments/messaging/relay'
import { domainEvents, markerQueueName } from '@payments/messaging/topology'
import { createApp } from './api/app.ts'
import { startApiJobs } from './api/jobs.ts'
import { openBroker } from './broker/broker.ts'
import { apiTopology } from './broker/queues.ts'
import { egressOf, readApiConfig } from './config.ts'
import { createDestinations } from './egress/destinations.ts'
import { openDatabase } from './store/database.ts'
import { openVault } from './store/vault.ts'

await run(async () => {
  const config = readApiConfig()
  const log = createLog('webhooks', config.LOG_LEVEL)
  const db = openDatabase(config.DATABASE_URL)
  const prefix = config.MESSAGING_PREFIX
  const topology = apiTopology(prefix)
  const broker = await openBroker({ url: config.AMQP_URL, prefix, name: 'webhooks', topology, log })
  const metrics = createMetrics('webhooks')
  const { publisher, publishing: connection } = broker
  const names = { exchange: domainEvents(prefix), markerQueue: markerQueueName(prefix, 'webhooks') }
  const relay = startRelay({ db: db.sql, publisher, connection, ...names, log, metrics: metrics.registry })
  const operatorCalls = await openOperatorCalls({
    db: db.sql,
    broker: { url: config.AMQP_URL, prefix },
    producer: config.AUDIT_MESSAGE_KEY,
    log,
    metrics: metrics.registry,
  })
  db.afterCommit(() => relay.wake())
  const app = createApp({
    db,
    vault: openVault(config, db, metrics.registry),
    destinations: createDestinations(egressOf(config)),
    deadLetters: broker.deadLetters,
    keys: config.ASSERTION_VERIFY_KEYS,
    log,
    metrics,
  })
  const server = createFastServer(app)
  const jobs = startApiJobs({ db, log })
  log.info({ port: await listen(server, { host: config.HOST, port: config.PORT }) }, 'listening')
  const drain = async () => {
    await Promise.all([stopServer(server), ...jobs.map((job) => job.stop())])
    await Promise.all([relay.stop(), operatorCalls.close()])
    await broker.close()
    await db.close()
  }
  return { log, drain }
})
