import { run } from '@payments/chassis/process/run'
import { openOutbox } from '@payments/messaging/outbox/open-outbox'
import { openOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { createApp } from './app.ts'
import { acceptsTestMode, readConfig } from './config.ts'
import { startJobs } from './jobs.ts'
import { openDatabase } from './store/database.ts'
import { openVault } from './store/vault.ts'

await run('business-unit', readConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const publishing = {
    broker: { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX },
    log,
    metrics: metrics.registry,
  }
  const outbox = await openOutbox({ db, name: 'business-unit', signKeys: config.EVENT_SIGN_KEYS, ...publishing })
  resource(() => outbox.close())
  const operatorCalls = await openOperatorCalls({ db: db.sql, producer: config.AUDIT_MESSAGE_KEY, ...publishing })
  resource(() => operatorCalls.close())
  const vault = openVault(config, db, metrics.registry)
  const destinations = { allowPrivate: config.PAYMENTS_ALLOW_PRIVATE_PROVIDERS }
  const cardPages = {
    origins: config.CARD_PAGE_ORIGINS,
    listedOnly: config.ENVIRONMENT !== 'dev',
    ownOrigin: config.PAY_BASE_URL,
  }
  for (const job of startJobs({ db, cardPages, log })) work(() => job.stop())
  const keys = config.ASSERTION_VERIFY_KEYS
  const rules = { destinations, cardPages, acceptsTestMode: acceptsTestMode(config) }
  await serve(createApp({ db, vault, ...rules, brokerCheck: outbox.check, keys, log, metrics }), config)
})
