import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { domainEvents } from '@payments/messaging/broker/topology'
import { eventQueueTopology } from '@payments/messaging/consume/consume-events'

import { signedMessage, testEventVerifyKeys } from '@payments/testing/broker/signed-events'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { businessUnitQueue, consumeBusinessUnits } from '../../src/business-units/consumer.ts'
import { createEvent, startWorld, unitEvent, type World } from './copies-world.ts'

const log = createLog('business-units', 'silent')
const deadlineMs = 30_000

let world: World
let broker: TestBroker
beforeAll(async () => {
  const topology = (prefix: string) => eventQueueTopology(prefix, businessUnitQueue('webhooks'))
  ;[world, broker] = await Promise.all([startWorld(), testBroker(topology)])
})
afterAll(async () => {
  await broker.discard({ queues: ['webhooks.business-units', 'webhooks.quarantine'], exchanges: ['domain-events'] })
  await world.stop()
})

const start = (copies: Pick<World['copies'], 'apply'>) =>
  consumeBusinessUnits({
    copies,
    broker,
    service: 'webhooks',
    verifyKeys: testEventVerifyKeys,
    log,
    metrics: createMetrics('test').registry,
  })

/** Publishes an event as the relay of business-unit does. */
const publish = (event: EventMessage) =>
  broker.publisher.publish({ exchange: domainEvents(broker.prefix), ...signedMessage(event) })

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadlineAt = Date.now() + deadlineMs
  while (!(await condition())) {
    if (Date.now() > deadlineAt) throw new Error(`not met within ${deadlineMs} ms: ${condition.toString()}`)
    await delay(20)
  }
}

test('a published deletion reaches the copy', async () => {
  const consumer = start(world.copies)
  const { unit, id, context } = world.give()
  await world.copies.find(context, id)
  const event = { ...unitEvent(unit, { status: 'deleted', version: 2 }), type: 'business-unit.business-units.delete' }
  await publish(event)
  await expect(
    until(async () => (await world.copies.find(context, id)).businessUnit.status === 'deleted'),
  ).resolves.toBeUndefined()
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
  expect([await broker.depth('webhooks.business-units'), await broker.depth('webhooks.quarantine')]).toEqual([0, 0])
})

test('an event without the documented payload is quarantined', async () => {
  const consumer = start(world.copies)
  const { unit } = world.give()
  await publish(createEvent(unit, 'business.unit.payment.orchestrator.create', { id: randomUUID() }))
  await expect(until(async () => (await broker.depth('webhooks.quarantine')) === 1)).resolves.toBeUndefined()
  await consumer.stop()
})
