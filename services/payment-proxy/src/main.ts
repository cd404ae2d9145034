import { businessUnitQueue } from '@payments/business-unit-copies/consumer'
import { openBusinessUnitCopies } from '@payments/business-unit-copies/open'
import { client } from '@payments/chassis/client'
import { run } from '@payments/chassis/run'
import { businessUnitContract } from '@payments/contracts/business-unit'
import { inviteToPay as inviteToPayContract } from '@payments/contracts/invite-to-pay'
import { quarantineQueues } from '@payments/contracts/quarantine'
import { quarantineMetrics } from '@payments/messaging/metrics'
import { openOutbox } from '@payments/messaging/open-outbox'
import { openQuarantine } from '@payments/messaging/open-quarantine'
import { openOperatorCalls } from '@payments/messaging/operator-calls'
import { createApp } from './app.ts'
import { acceptsTestMode, egressOf, readConfig } from './config.ts'
import { openProvider } from './connectors/open-provider.ts'
import { startJobs } from './jobs.ts'
import { registerOpenWork } from './operation/metrics.ts'
import { openDatabase } from './store/database.ts'

const timeouts = { businessUnitMs: 2_000, inviteToPayMs: 5_000 }

await run('payment-proxy', readConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const broker = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const publishing = { broker, log, metrics: metrics.registry }
  const outbox = await openOutbox({ db, name: 'payment-proxy', ...publishing })
  resource(() => outbox.close())
  const operatorCalls = await openOperatorCalls({ db: db.sql, producer: config.AUDIT_MESSAGE_KEY, ...publishing })
  resource(() => operatorCalls.close())
  const calling = { self: 'payment-proxy', keys: config.ASSERTION_SIGN_KEYS } as const
  const businessUnit = client(businessUnitContract, {
    ...calling,
    baseUrl: config.BUSINESS_UNIT_URL,
    timeoutMs: timeouts.businessUnitMs,
  })
  const inviteToPay = client(inviteToPayContract, {
    ...calling,
    baseUrl: config.INVITE_TO_PAY_URL,
    timeoutMs: timeouts.inviteToPayMs,
  })
  const copying = { db, client: businessUnit, service: 'payment-proxy', publisher: outbox.publisher, ...publishing }
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
  const calls = { provider, units, inviteToPay, acceptsTestMode: acceptsTestMode(config) }
  const deps = { db, ...calls, now, quarantine, keys: config.ASSERTION_VERIFY_KEYS, brokerCheck, log, metrics }
  registerOpenWork(deps)
  const jobs = startJobs(deps)
  work(() => jobs.stop())
  await serve(createApp(deps), config)
})
