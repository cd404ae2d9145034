import { client } from '@payments/chassis/client/client'
import { run } from '@payments/chassis/process/run'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { openOutbox } from '@payments/messaging/outbox/open-outbox'
import { openOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { startJobs } from './jobs.ts'
import { openKeyValues } from './key-values/key-values.ts'
import { openDatabase } from './store/database.ts'

await run('api-key', readConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const publishing = {
    broker: { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX },
    log,
    metrics: metrics.registry,
  }
  const outbox = await openOutbox({ db, name: 'api-key', signKeys: config.EVENT_SIGN_KEYS, ...publishing })
  resource(() => outbox.close())
  const operatorCalls = await openOperatorCalls({ db: db.sql, producer: config.AUDIT_MESSAGE_KEY, ...publishing })
  resource(() => operatorCalls.close())
  const rbac = client(rbacContract, {
    self: 'api-key',
    baseUrl: config.RBAC_URL,
    keys: config.ASSERTION_SIGN_KEYS,
    timeoutMs: 2_000,
  })
  const values = openKeyValues(config, db, metrics.registry)
  const keys = config.ASSERTION_VERIFY_KEYS
  for (const job of startJobs({ db, log })) work(() => job.stop())
  await serve(createApp({ db, rbac, values, brokerCheck: outbox.check, keys, log, metrics }), config)
})
