import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createLog } from '@payments/chassis/observability/log'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { type BrokerConnection, openConnection } from '@payments/messaging/broker/connection'
import { Publisher } from '@payments/messaging/broker/publisher'
import { domainEvents, named } from '@payments/messaging/broker/topology'
import { type PrivateBroker, privateBroker } from '@payments/testing/broker/broker'
import { signedMessage, testEventTrust } from '@payments/testing/broker/signed-events'
import { businessUnitTopology, consumeBusinessUnits } from '../src/consumer.ts'
import { eventOf, startWorld, unitEvent, type World } from './copies-world.ts'

const log = createLog('business-unit-copies', 'silent')
const deadlineMs = 30_000

let world: World
let broker: PrivateBroker
let connections: BrokerConnection[]
let publisher: Publisher
beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), privateBroker()])
  const { url, prefix } = broker
  const open = (purpose: 'publish' | 'consume') => openConnection({ url, name: 'copies-test', log, purpose })
  connections = [await open('publish'), await open('consume')]
  const [connection] = connections
  if (connection === undefined) throw new Error('unreachable')
  publisher = new Publisher({ connection, topology: businessUnitTopology(prefix, 'webhooks'), log })
})
afterAll(async () => {
  await publisher.close()
  await Promise.all(connections.map((connection) => connection.close()))
  const queues = ['webhooks.business-units', 'webhooks.quarantine'].map((name) => named(broker.prefix, name))
  await broker.discard({ queues, exchanges: [domainEvents(broker.prefix)] })
  await world.stop()
})

function start(copies: World['copies']) {
  const [, connection] = connections
  if (connection === undefined) throw new Error('unreachable')
  const { prefix } = broker
  const trust = testEventTrust
  return consumeBusinessUnits({ copies, connection, publisher, prefix, service: 'webhooks', trust, log })
}

/** Publishes an event as the relay of business-unit does. */
const publish = (event: EventMessage) =>
  publisher.publish({ exchange: domainEvents(broker.prefix), ...signedMessage(event) })

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadlineAt = Date.now() + deadlineMs
  while (!(await condition())) {
    if (Date.now() > deadlineAt) throw new Error(`not met within ${deadlineMs} ms: ${condition.toString()}`)
    await delay(20)
  }
}

const depth = async (name: string) => {
  const channel = await connections[1]?.openChannel()
  const { messageCount } = (await channel?.checkQueue(named(broker.prefix, name))) ?? { messageCount: -1 }
  await channel?.close()
  return messageCount
}

test('a published deletion reaches the copy', async () => {
  const consumer = start(world.copies)
  const { unit, id, context } = world.give()
  await world.copies.find(context, id)
  const event = { ...unitEvent(unit, { status: 'deleted', version: 2 }), type: 'business-unit.business-units.delete' }
  await publish(event)
  await until(async () => (await world.copies.find(context, id)).businessUnit.status === 'deleted')
  await consumer.stop()
})

test('events wait while business-unit is unreachable, and none is quarantined', async () => {
  let isReachable = false
  let tries = 0
  const consumer = start({
    ...world.copies,
    apply: (event) => {
      tries += 1
      return (isReachable ? world.copies : world.isolated).apply(event)
    },
  })
  const { unit, id } = world.give()
  await publish(unitEvent(unit, {}))
  await until(async () => tries >= 3)
  expect(await world.rows(id)).toEqual([])
  isReachable = true
  await until(async () => (await world.rows(id)).length === 1)
  await consumer.stop()
  expect([await depth('webhooks.business-units'), await depth('webhooks.quarantine')]).toEqual([0, 0])
})

test('an event without the documented payload is quarantined', async () => {
  const consumer = start(world.copies)
  const { unit } = world.give()
  await publish(eventOf(unit, 'business.unit.payment.orchestrator.create', { id: randomUUID() }))
  await until(async () => (await depth('webhooks.quarantine')) === 1)
  await consumer.stop()
})
