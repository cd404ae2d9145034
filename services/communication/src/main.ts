import { businessUnitQueue } from '@payments/business-unit-copies/consumer'
import { openBusinessUnitCopies } from '@payments/business-unit-copies/open'
import { eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { client } from '@payments/chassis/client/client'
import { run } from '@payments/chassis/process/run'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { quarantineMetrics } from '@payments/messaging/broker/metrics'
import { openOutbox } from '@payments/messaging/outbox/open-outbox'
import { openOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { createApp } from './app.ts'
import { ratesOf, readConfig } from './config.ts'
import { startDeliveryLoop } from './delivery/loop.ts'
import { createDeliveryMetrics } from './delivery/metrics.ts'
import { startJobs } from './jobs.ts'
import { chooseProviders } from './providers/choose.ts'
import { openDatabase } from './store/database.ts'

await run('communication', readConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const broker = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const publishing = { broker, log, metrics: metrics.registry }
  const outbox = await openOutbox({ db, name: 'communication', signKeys: config.EVENT_SIGN_KEYS, ...publishing })
  resource(() => outbox.close())
  const operatorCalls = await openOperatorCalls({ db: db.sql, producer: config.AUDIT_MESSAGE_KEY, ...publishing })
  resource(() => operatorCalls.close())
  const businessUnit = client(businessUnitContract, {
    self: 'communication',
    baseUrl: config.BUSINESS_UNIT_URL,
    keys: config.ASSERTION_SIGN_KEYS,
    timeoutMs: 2_000,
  })
  const { publisher } = outbox
  const trust = eventTrustOf(config)
  const copying = { db, trust, client: businessUnit, service: 'communication', publisher, ...publishing }
  const businessUnits = await openBusinessUnitCopies(copying)
  resource(() => businessUnits.close())
  const name = quarantineQueues.communication
  const origins = [businessUnitQueue('communication')] as const
  const { quarantine, close } = await openQuarantine({ broker, name, origins, log })
  resource(close)
  quarantineMetrics(metrics.registry, quarantine)
  const providers = chooseProviders(config, db)
  const now = () => new Date()
  const deliveryMetrics = createDeliveryMetrics(metrics.registry, providers)
  const delivery = startDeliveryLoop({ db, providers, now, log, metrics: deliveryMetrics })
  work(() => delivery.stop())
  for (const job of startJobs({ db, now, log })) work(() => job.stop())
  const brokerCheck = async () => (await outbox.check()) ?? (await businessUnits.check())
  const keys = config.ASSERTION_VERIFY_KEYS
  const rates = ratesOf(config)
  const showsOutbox = config.ENVIRONMENT === 'dev'
  const shared = { brokerCheck, quarantine, keys, log, metrics }
  await serve(createApp({ db, businessUnits, providers, rates, delivery, showsOutbox, now, ...shared }), config)
})
