import { businessUnitQueue } from '@payments/business-unit-copies/consumer'
import { openBusinessUnitCopies } from '@payments/business-unit-copies/open'
import { eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { run } from '@payments/chassis/process/run'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { openConnection } from '@payments/messaging/broker/connection'
import { quarantineMetrics } from '@payments/messaging/broker/metrics'
import { openOutbox } from '@payments/messaging/outbox/open-outbox'
import { openOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { createApp } from './app.ts'
import { connectClients } from './clients/connect.ts'
import { acceptsTestMode, readConfig } from './config.ts'
import { checkOf, startConsumer, transactionQueue } from './consumers.ts'
import { startJobs } from './jobs.ts'
import { createPaymentsInProgress } from './payment/in-progress.ts'
import { startSendingLoop } from './sending/loop.ts'
import { createSendingMetrics } from './sending/metrics.ts'
import { openDatabase } from './store/database.ts'
import { openVault } from './store/vault.ts'

await run('invite-to-pay', readConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const broker = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const publishing = { broker, log, metrics: metrics.registry }
  const outbox = await openOutbox({ db, name: 'invite-to-pay', signKeys: config.EVENT_SIGN_KEYS, ...publishing })
  resource(() => outbox.close())
  const operatorCalls = await openOperatorCalls({ db: db.sql, producer: config.AUDIT_MESSAGE_KEY, ...publishing })
  resource(() => operatorCalls.close())
  const { businessUnit, ...clients } = connectClients(config)
  const { publisher } = outbox
  const trust = eventTrustOf(config)
  const copying = { db, trust, client: businessUnit, service: 'invite-to-pay', publisher, ...publishing }
  const businessUnits = await openBusinessUnitCopies(copying)
  resource(() => businessUnits.close())
  const vault = openVault(config, db, metrics.registry)
  const page = { payBaseUrl: config.PAY_BASE_URL, acceptsTestMode: acceptsTestMode(config) }
  const shared = { db, vault, businessUnits, ...clients, ...page, log }
  const sending = startSendingLoop({ ...shared, metrics: createSendingMetrics(metrics.registry) })
  work(() => sending.stop())
  const connection = await openConnection({ url: broker.url, purpose: 'consume', name: 'invite-to-pay', log })
  resource(() => connection.close())
  const consumer = startConsumer(
    { ...shared, sending },
    { connection, publisher, prefix: broker.prefix, trust, log, metrics: metrics.registry },
  )
  work(() => consumer.stop())
  const name = quarantineQueues['invite-to-pay']
  const origins = [transactionQueue, businessUnitQueue('invite-to-pay')] as const
  const { quarantine, close } = await openQuarantine({ broker, name, origins, log })
  resource(close)
  quarantineMetrics(metrics.registry, quarantine)
  for (const job of startJobs({ ...shared, sending })) work(() => job.stop())
  const brokerCheck = async () => (await outbox.check()) ?? (await businessUnits.check()) ?? checkOf(consumer)
  const keys = config.ASSERTION_VERIFY_KEYS
  const inProgress = createPaymentsInProgress({ log, metrics: metrics.registry })
  work(() => inProgress.stop())
  await serve(createApp({ ...shared, sending, inProgress, brokerCheck, quarantine, keys, metrics }), config)
})
