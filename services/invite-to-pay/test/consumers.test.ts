import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { domainEvents, named } from '@payments/messaging/broker/topology'
import { signedMessage, testEventVerifyKeys } from '@payments/testing/broker/signed-events'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { until } from '@payments/testing/services/until'
import { consumeTransactions } from '../src/consumers.ts'
import { codesPath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
let broker: TestBroker
let consumer: ReturnType<typeof consumeTransactions>
beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker()])
  const { log, metrics } = world.deps
  const options = { broker, verifyKeys: testEventVerifyKeys, log, metrics: metrics.registry }
  consumer = consumeTransactions(world.deps, options)
  await until(() => consumer.ready().ready)
})
afterAll(async () => {
  await consumer.stop()
  const queues = ['invite-to-pay.transactions', 'invite-to-pay.quarantine']
  await broker.discard({ queues, exchanges: ['domain-events'] })
  await world.stop()
})

const invitation = {
  communication_type: 'SMS' as const,
  recipient: '+4930123456',
  template_id: null,
  communication_details: {},
  expires_at: null,
  reminder_at: null,
  return_url: null,
  locale: null,
}

function buildEvent(tenant: TestTenant, type: string, transaction: object) {
  return {
    id: randomUUID(),
    type: `payment-proxy.transactions.${type}`,
    tenant_id: tenant.id,
    business_unit_id: tenant.unitId,
    trace_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    payload: { transaction, operation: null, version: 1 },
  }
}

const exchange = () => domainEvents(broker.prefix)

test('creates the code of an invited transaction from its published event, delivered twice', async () => {
  const tenant = world.tenant()
  const { operations: _, ...transaction } = tenant.transaction({ i2p: true, invitation })
  const event = buildEvent(tenant, 'create', transaction)
  const publish = () => broker.publisher.publish({ exchange: exchange(), ...signedMessage(event) })
  await publish()
  await until(async () => (await tenant.events()).length > 0)
  await publish()
  await until(async () => consumer.inProgress() === 0)
  expect((await tenant.events()).map((one) => one.type)).toEqual(['invite-to-pay.codes.create'])
})

test('no queue of the service takes the events of a transaction without an invitation', async () => {
  const tenant = world.tenant()
  const { operations: _, ...transaction } = tenant.transaction({ i2p: false, invitation: null })
  const types = ['create', 'authorize.and.capture', 'refund.failed']
  const publications = types.map((type) =>
    broker.publisher.publish({ exchange: exchange(), ...signedMessage(buildEvent(tenant, type, transaction)) }),
  )
  const results = await Promise.allSettled(publications)
  expect(results).toMatchObject(types.map(() => ({ status: 'rejected', reason: { failure: 'returned' } })))
})

test('quarantines an authorization that payment-proxy did not sign, and the code stays unpaid', async () => {
  const tenant = world.tenant()
  const { operations: _, ...transaction } = tenant.transaction({ i2p: true, invitation })
  await broker.publisher.publish({ exchange: exchange(), ...signedMessage(buildEvent(tenant, 'create', transaction)) })
  await until(async () => (await tenant.events()).length > 0)
  const paid = { ...transaction, status: 'authorized', amount_authorized: transaction.amount }
  const event = buildEvent(tenant, 'authorize.and.capture', paid)
  const { headers, ...message } = signedMessage(event)
  const ofAnother = signedMessage({ ...event, type: 'communication.templates.create' }).headers
  const forged = [{}, { ...headers, 'event-producer': 'communication' }, ofAnother]
  for (const attempt of forged) await broker.publisher.publish({ exchange: exchange(), ...message, headers: attempt })
  expect(await readQuarantined(forged.length)).toEqual([
    'rejected the event: unsigned',
    'rejected the event: forged',
    'rejected the event: forged',
  ])
  const { body } = await tenant.get(codesPath).expect(200)
  expect(body.data).toMatchObject([{ status: 'active' }])
})

/** The reasons of that many messages in the quarantine queue, in their order. */
async function readQuarantined(count: number): Promise<string[]> {
  const channel = await broker.consuming.openChannel()
  const details: string[] = []
  await until(async () => {
    const message = await channel.get(named(broker.prefix, 'invite-to-pay.quarantine'), { noAck: true })
    if (message !== false) details.push(String(message.properties.headers?.['x-quarantine-detail']))
    return details.length === count
  })
  await channel.close()
  return details.sort().reverse()
}
