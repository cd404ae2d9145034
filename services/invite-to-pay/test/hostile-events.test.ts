/** @slow It measures slow functions with every hostile text. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventPatterns } from '@payments/contracts/edges/event-patterns'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { payload, type Transaction } from '@payments/contracts/nouns/transaction'
import { eventConsumerSettings } from '@payments/testing/broker/signed-events'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { insertUnitForTenant } from '@payments/testing/peers/business-units'
import { until } from '@payments/testing/services/until'
import { consumerSuite } from '@payments/testing/suites/consumers'
import { consumedQueues, startConsumers } from '../src/consumers.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
let broker: TestBroker
let consumers: ReturnType<typeof startConsumers>
let tenant: TestTenant
beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker()])
  tenant = world.tenant()
  consumers = startConsumers(world.deps, { broker, config: eventConsumerSettings })
  await until(() => consumers.every((one) => one.ready().ready))
})
afterAll(async () => {
  await Promise.all(consumers.map((one) => one.stop()))
  await broker.discard({ queues: [...consumedQueues, 'invite-to-pay.quarantine'], exchanges: ['domain-events'] })
  await world.stop()
})

/** Stores the transaction of the event at payment-proxy, with an invitation. Returns its event. */
function invited(event: EventMessage): EventMessage {
  const { success, data } = payload.safeParse(event.payload)
  if (!success) return event
  const { operation, version } = data
  const written = { ...data.transaction, id: randomUUID(), business_unit_id: tenant.unitId, i2p: true }
  const transaction: Transaction = { ...written, status: 'pending', operations: [] }
  world.payments.ledger.set(transaction.id, { tenantId: event.tenant_id, transaction })
  return { ...event, payload: { transaction: written, operation, version } }
}

consumerSuite(eventPatterns['invite-to-pay'], () => ({
  broker,
  metrics: world.deps.metrics,
  tenantId: tenant.id,
  prepare: async (event) => invited(await insertUnitForTenant(world.db, event)),
}))

test('the events of transactions with hostile texts create codes', async () => {
  const types = (await tenant.events()).map(({ type }) => type)
  expect(types).toContain('invite-to-pay.codes.create')
})
