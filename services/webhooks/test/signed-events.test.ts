import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { domainEvents } from '@payments/messaging/broker/topology'
import { signedMessage } from '@payments/testing/broker/signed-events'
import { type QueueWorld, quarantine, startQueueWorld } from './queue-world.ts'
import { settled, someEvent, subscribe } from './world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await startQueueWorld()
})
afterAll(() => world.stop())
afterEach(() => world.clear())

test('an event that its producer did not sign is quarantined and reaches no subscription', async () => {
  const endpoint = await world.openEndpoint()
  endpoint.respondWith(() => ({ status: 200 }))
  const subscribed = await subscribe(world, endpoint.url)
  const exchange = domainEvents(world.prefix)
  const unsigned = someEvent(subscribed.tenantId, subscribed.unitId)
  const { headers: _, ...message } = signedMessage(unsigned)
  await world.broker.publisher.publish({ exchange, ...message })
  await world.depthIs('webhooks.quarantine', 1)
  const { body } = await world.asOperator.get(`${quarantine}/messages`)
  expect(body.data).toMatchObject([{ id: unsigned.id, last_error: 'unreadable: rejected the event: unsigned' }])
  const event = someEvent(subscribed.tenantId, subscribed.unitId)
  await world.publish(event)
  expect((await settled(subscribed, 'delivered')).tenant_event_id).toBe(event.id)
  expect(endpoint.received).toHaveLength(1)
})
