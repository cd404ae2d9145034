import { client } from '@payments/chassis/client'
import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { rbac as rbacContract } from '@payments/contracts/rbac'
import { openOutbox } from '@payments/messaging/open-outbox'
import { openOperatorCalls } from '@payments/messaging/operator-calls'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { startJobs } from './jobs.ts'
import { openKeyValues } from './key-values/key-values.ts'
import { openDatabase } from './store/database.ts'

await run(async () => {
  const config = readConfig()
  const log = createLog('api-key', config.LOG_LEVEL)
  const metrics = createMetrics('api-key')
  const db = openDatabase(config.DATABASE_URL)
  const broker = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const outbox = await openOutbox({ db, broker, name: 'api-key', log, metrics: metrics.registry })
  const producer = config.AUDIT_MESSAGE_KEY
  const operatorCalls = await openOperatorCalls({ db: db.sql, broker, producer, log, metrics: metrics.registry })
  const rbac = client(rbacContract, {
    self: 'api-key',
    baseUrl: config.RBAC_URL,
    keys: config.ASSERTION_SIGN_KEYS,
    timeoutMs: 2_000,
  })
  const values = openKeyValues(config, db, metrics.registry)
  const keys = config.ASSERTION_VERIFY_KEYS
  const server = createFastServer(createApp({ db, rbac, values, broker: outbox.check, keys, log, metrics }))
  const jobs = startJobs({ db, log })
  const port = await listen(server, { host: config.HOST, port: config.PORT })
  log.info({ port }, 'listening')
  const drain = async () => {
    await stopServer(server)
    await Promise.all(jobs.map((job) => job.stop()))
    await Promise.all([outbox.close(), operatorCalls.close()])
    await db.close()
  }
  return { log, drain }
})
