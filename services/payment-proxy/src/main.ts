import { businessUnitQueue } from '@payments/business-unit-copies/consumer'
import { openBusinessUnitCopies } from '@payments/business-unit-copies/open'
import { eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { run } from '@payments/chassis/process/run'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { quarantineMetrics } from '@payments/messaging/broker/metrics'
import { openOutbox } from '@payments/messaging/outbox/open-outbox'
import { openOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { createApp } from './app.ts'
import { connectClients } from './clients/connect.ts'
import { acceptsTestMode, egressOf, readConfig } from './config.ts'
import { openProvider } from './connectors/open-provider.ts'
import { startJobs } from './jobs.ts'
import { registerOpenWork } from './operation/metrics.ts'
import { createProviderPermits } from './operation/provider-permits.ts'
import { openDatabase } from './store/database.ts'

await run('payment-proxy', readConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const broker = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const publishing = { broker, log, metrics: metrics.registry }
  const outbox = await openOutbox({ db, name: 'payment-proxy', signKeys: config.EVENT_SIGN_KEYS, ...publishing })
  resource(() => outbox.close())
  const operatorCalls = await openOperatorCalls({ db: db.sql, producer: config.AUDIT_MESSAGE_KEY, ...publishing })
  resource(() => operatorCalls.close())
  const { businessUnit, inviteToPay } = connectClients(config)
  const trust = eventTrustOf(config)
  const copying = {
    db,
    trust,
    client: businessUnit,
    service: 'payment-proxy',
    publisher: outbox.publisher,
    ...publishing,
  }
  const units = await openBusinessUnitCopies(copying)
  resource(() => units.close())
  const name = quarantineQueues['payment-proxy']
  const quarantining = await openQuarantine({ broker, name, origins: [businessUnitQueue('payment-proxy')], log })
  resource(() => quarantining.close())
  const { quarantine } = quarantining
  quarantineMetrics(metrics.registry, quarantine)
  const connecting = { databaseUrl: config.DATABASE_URL, egress: egressOf(config), units, client: businessUnit }
  const { provider, close } = openProvider({ ...connecting, log, metrics })
  resource(close)
  const brokerCheck = async () => (await outbox.check()) ?? (await units.check())
  const now = () => new Date()
  const rules = { providerPermits: createProviderPermits(), acceptsTestMode: acceptsTestMode(config) }
  const calls = { provider, units, inviteToPay, quarantine, brokerCheck }
  const deps = { db, ...calls, ...rules, now, keys: config.ASSERTION_VERIFY_KEYS, log, metrics }
  registerOpenWork(deps)
  const jobs = startJobs(deps)
  work(() => jobs.stop())
  await serve(createApp(deps), config)
})
