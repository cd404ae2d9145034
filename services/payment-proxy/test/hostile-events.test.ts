/** @slow It measures slow functions with every hostile text. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { eventPatterns } from '@payments/contracts/edges/event-patterns'
import { eventConsumerSettings } from '@payments/testing/broker/signed-events'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { insertUnitForTenant } from '@payments/testing/peers/business-units'
import { until } from '@payments/testing/services/until'
import { consumerSuite } from '@payments/testing/suites/consumers'
import { consumedQueues, startConsumers } from '../src/consumers.ts'
import { startWorld, type World } from './world.ts'

let world: World
let broker: TestBroker
let consumers: ReturnType<typeof startConsumers>
const tenantId = randomUUID()
beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker()])
  consumers = startConsumers(world.deps, { broker, config: eventConsumerSettings })
  await until(() => consumers.every((one) => one.ready().ready))
})
afterAll(async () => {
  await Promise.all(consumers.map((one) => one.stop()))
  await broker.discard({ queues: [...consumedQueues, 'payment-proxy.quarantine'], exchanges: ['domain-events'] })
  await world.stop()
})

consumerSuite(eventPatterns['payment-proxy'], () => ({
  broker,
  metrics: world.deps.metrics,
  tenantId,
  prepare: (event) => insertUnitForTenant(world.db, event),
}))
