import { client } from '@payments/chassis/client/client'
import { run } from '@payments/chassis/process/run'
import { apiKey as apiKeyContract } from '@payments/contracts/services/api-key/contract'
import { openOutbox } from '@payments/messaging/outbox/open-outbox'
import { openOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { startJobs } from './jobs.ts'
import { openDatabase } from './store/database.ts'

await run('rbac', readConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const publishing = {
    broker: { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX },
    log,
    metrics: metrics.registry,
  }
  const outbox = await openOutbox({ db, name: 'rbac', signKeys: config.EVENT_SIGN_KEYS, ...publishing })
  resource(() => outbox.close())
  const operatorCalls = await openOperatorCalls({ db: db.sql, producer: config.AUDIT_MESSAGE_KEY, ...publishing })
  resource(() => operatorCalls.close())
  const apiKey = client(apiKeyContract, {
    self: 'rbac',
    baseUrl: config.API_KEY_URL,
    keys: config.ASSERTION_SIGN_KEYS,
    timeoutMs: 2_000,
  })
  for (const job of startJobs({ db, log })) work(() => job.stop())
  const keys = config.ASSERTION_VERIFY_KEYS
  await serve(createApp({ db, apiKey, brokerCheck: outbox.check, keys, log, metrics }), config)
})
