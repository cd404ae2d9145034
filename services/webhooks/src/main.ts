import { createBusinessUnitCopies } from '@payments/business-unit-copies/copies'
import { eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { client } from '@payments/chassis/client/client'
import { run } from '@payments/chassis/process/run'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { domainEvents, markerQueueName } from '@payments/messaging/broker/topology'
import { openOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { startRelay } from '@payments/messaging/outbox/relay'
import { createApp } from './api/app.ts'
import { startApiConsumer } from './api/consumers.ts'
import { startApiJobs } from './api/jobs.ts'
import { openBroker } from './broker/broker.ts'
import { apiTopology } from './broker/queues.ts'
import { egressOf, readApiConfig } from './config.ts'
import { createDestinations } from './egress/destinations.ts'
import { openDatabase } from './store/database.ts'
import { openVault } from './store/vault.ts'

await run('webhooks', readApiConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const address = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const broker = await openBroker({ ...address, name: 'webhooks', topology: apiTopology(address.prefix), log })
  resource(() => broker.close())
  const { publisher, publishing: connection, deadLetters, quarantine } = broker
  const names = { exchange: domainEvents(address.prefix), markerQueue: markerQueueName(address.prefix, 'webhooks') }
  const producer = { name: 'webhooks', keys: config.EVENT_SIGN_KEYS }
  const reporting = { db: db.sql, log, metrics: metrics.registry }
  const relay = startRelay({ publisher, connection, producer, ...names, ...reporting, db: db.crossTenant })
  resource(() => relay.stop())
  db.afterCommit(() => relay.wake())
  const operatorCalls = await openOperatorCalls({ broker: address, producer: config.AUDIT_MESSAGE_KEY, ...reporting })
  resource(() => operatorCalls.close())
  const vault = openVault(config, db, metrics.registry)
  const destinations = createDestinations(egressOf(config))
  for (const job of startApiJobs({ db, log })) work(() => job.stop())
  const businessUnit = client(businessUnitContract, {
    self: 'webhooks',
    baseUrl: config.BUSINESS_UNIT_URL,
    keys: config.ASSERTION_SIGN_KEYS,
    timeoutMs: 2_000,
  })
  const businessUnits = createBusinessUnitCopies({ db, client: businessUnit })
  const trust = eventTrustOf(config)
  const consumer = startApiConsumer({ businessUnits, log, metrics }, broker, { prefix: address.prefix, trust })
  work(() => consumer.stop())
  const brokerCheck = async () => {
    const consuming = consumer.ready()
    return (await broker.check()) ?? (consuming.ready ? null : consuming.reason)
  }
  const keys = config.ASSERTION_VERIFY_KEYS
  await serve(
    createApp({ db, vault, destinations, businessUnits, deadLetters, quarantine, brokerCheck, keys, log, metrics }),
    config,
  )
})
