/** @slow It measures slow functions with every hostile text. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { businessUnitPatterns } from '@payments/contracts/edges/event-patterns'
import { named } from '@payments/messaging/broker/topology'
import { consumeBusinessUnits } from '@payments/service/business-units/consumer'
import { testEventVerifyKeys } from '@payments/testing/broker/signed-events'
import { hostileTexts } from '@payments/testing/generators/hostile-text'
import { insertUnitForTenant } from '@payments/testing/peers/business-units'
import { receiver } from '@payments/testing/peers/receiver'
import { slowWorks } from '@payments/testing/runner/held-time'
import { until } from '@payments/testing/services/until'
import { consumerSuite, outcomesOfAll, unreadableBodies } from '@payments/testing/suites/consumers'
import { readWorkMessage, workMessage } from '../src/broker/queues.ts'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

/** Hostile messages in the queues of business units and of deliveries. */
let world: World
let dispatcher: Awaited<ReturnType<World['dispatch']>>
let businessUnits: ReturnType<typeof consumeBusinessUnits>
const tenantId = randomUUID()
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,50ms' })
  const { broker, log, businessUnits: copies, metrics } = world
  const options = {
    service: 'webhooks' as const,
    broker,
    log,
    verifyKeys: testEventVerifyKeys,
    metrics: metrics.registry,
  }
  businessUnits = consumeBusinessUnits({ copies, ...options })
  dispatcher = await world.dispatch()
  await until(() => businessUnits.ready().ready)
})
afterAll(async () => {
  await businessUnits.stop()
  await world.stop()
})

describe('in the queue of business units', () => {
  consumerSuite(businessUnitPatterns, () => ({
    broker: { prefix: world.prefix, publisher: world.broker.publisher },
    metrics: world.metrics,
    queue: named(world.prefix, 'webhooks.business-units'),
    tenantId,
    prepare: (event) => insertUnitForTenant(world.db, event),
  }))
})

describe('in the queue of deliveries', () => {
  const attemptCountMax = 2 ** 31 - 1
  const ofDelivery = () => ({
    delivery_id: randomUUID(),
    tenant_id: tenantId,
    subscription_id: randomUUID(),
    attempt_count: attemptCountMax,
  })

  const countOutcomes = (bodies: readonly Buffer[]) => {
    const { broker, names } = world
    const { exchange, deliveries: queue } = names
    return outcomesOfAll({ metrics: dispatcher.metrics, queue }, bodies, (body) =>
      broker.publisher.publish({ exchange, routingKey: queue, body, messageId: randomUUID() }),
    )
  }

  test('a message of an unknown delivery is acknowledged, and never holds the event loop for long', async () => {
    const named = hostileTexts(32 * 1024).map(([, text]) => ({ ...ofDelivery(), [text.slice(0, 1_000)]: text }))
    const inCapitals = { ...ofDelivery(), delivery_id: randomUUID().toUpperCase() }
    const bodies = [...named, inCapitals, ofDelivery()].map((message) => Buffer.from(JSON.stringify(message)))
    const work = async () => expect(await countOutcomes(bodies)).toEqual({ acked: bodies.length })
    expect(await slowWorks([['messages of unknown deliveries', work]])).toEqual([])
  })

  // A statement for several messages finds their rows by the least and the greatest id, as text.
  test('ids in capitals name the same delivery', () => {
    const message = JSON.stringify(ofDelivery())
    const inCapitals = message.replaceAll(/[0-9a-f-]{36}/g, (id) => id.toUpperCase())
    expect(inCapitals).not.toBe(message)
    expect(readWorkMessage(Buffer.from(inCapitals))).toEqual(readWorkMessage(Buffer.from(message)))
  })

  test('any other message is quarantined, and never holds the event loop for long', async () => {
    const others = [attemptCountMax + 1, Number.MAX_SAFE_INTEGER, 1e300, 0.5, -1].map((attempt_count) =>
      Buffer.from(JSON.stringify({ ...ofDelivery(), attempt_count })),
    )
    const isMessage = (value: unknown) => workMessage.safeParse(value).success
    const bodies = [...unreadableBodies(ofDelivery(), isMessage), ...others]
    const work = async () => expect(await countOutcomes(bodies)).toEqual({ quarantined: bodies.length })
    expect(await slowWorks([['other messages', work]])).toEqual([])
  })

  test('a delivery is attempted again after them', async () => {
    const endpoint = await receiver()
    endpoint.respondWith(() => ({ status: endpoint.received.length === 1 ? 500 : 200 }))
    const subscribed = await subscribe(world, endpoint.url)
    await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
    expect(await settled(subscribed, 'delivered')).toMatchObject({ attempt_count: 2 })
    await endpoint.close()
  })
})
