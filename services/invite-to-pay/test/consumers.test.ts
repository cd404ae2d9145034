import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type BrokerConnection, openConnection } from '@payments/messaging/connection'
import { Publisher } from '@payments/messaging/publisher'
import { domainEvents, named, topicExchange } from '@payments/messaging/topology'
import { type PrivateBroker, privateBroker } from '@payments/testing/broker'
import { startConsumer } from '../src/consumers.ts'
import { startWorld, until, type World } from './world.ts'

let world: World
let broker: PrivateBroker
let publishing: BrokerConnection
let consuming: BrokerConnection
let publisher: Publisher
let consumer: ReturnType<typeof startConsumer>
beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), privateBroker()])
  const { url, prefix } = broker
  const { log } = world.deps
  publishing = await openConnection({ url, name: 'invite-to-pay-test', log, purpose: 'publish' })
  consuming = await openConnection({ url, name: 'invite-to-pay-test', log, purpose: 'consume' })
  publisher = new Publisher({ connection: publishing, topology: [topicExchange(domainEvents(prefix))], log })
  consumer = startConsumer(world.deps, { connection: consuming, publisher, prefix, log })
  await until(() => consumer.ready().ready)
})
afterAll(async () => {
  await consumer.stop()
  await publisher.close()
  await Promise.all([publishing.close(), consuming.close()])
  const queues = ['invite-to-pay.transactions', 'invite-to-pay.quarantine'].map((name) => named(broker.prefix, name))
  await broker.discard({ queues, exchanges: [domainEvents(broker.prefix)] })
  await world.stop()
})

test('creates the code of an invited transaction from its published event, delivered twice', async () => {
  const tenant = world.tenant()
  const invitation = {
    communication_type: 'SMS' as const,
    recipient: '+4930123456',
    template_id: null,
    communication_details: {},
    expires_at: null,
    reminder_at: null,
    return_url: null,
  }
  const { operations: _, ...transaction } = tenant.transaction({ i2p: true, invitation })
  const type = 'payment-proxy.transactions.create'
  const event = {
    id: randomUUID(),
    type,
    tenant_id: tenant.id,
    business_unit_id: tenant.unitId,
    trace_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    payload: { transaction, operation: null, version: 1 },
  }
  const body = Buffer.from(JSON.stringify(event))
  const publish = () =>
    publisher.publish({ exchange: domainEvents(broker.prefix), routingKey: type, body, messageId: event.id })
  await publish()
  await until(async () => (await tenant.events()).length > 0)
  await publish()
  await until(async () => consumer.inProgress() === 0)
  expect((await tenant.events()).map((one) => one.type)).toEqual(['invite-to-pay.codes.create'])
})
