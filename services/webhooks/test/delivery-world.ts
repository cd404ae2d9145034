import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { someEvent, startWorld, subscribe } from './world.ts'

/**
 * A world with three deliveries of one unit: two to `subscribed` are delivered, and one to another subscription is
 * dead.
 */
export async function startDeliveryWorld() {
  const world = await startWorld({ schedule: '0s' })
  await world.dispatch()
  const endpoint: Receiver = await receiver()
  endpoint.respondWith((received) => ({ status: received.path === '/bad' ? 500 : 200, body: '\u0000ü' }))
  const subscribed = await subscribe(world, `${endpoint.url}/good`)
  const { tenantId, unitId } = subscribed
  await subscribe(world, `${endpoint.url}/bad`, { tenantId, unitId, event_types: ['api-key.*'] })
  await world.publish(someEvent(tenantId, unitId))
  await world.publish(someEvent(tenantId, null, { type: 'api-key.keys.create' }))
  await until(async () => {
    const statuses = (await subscribed.deliveries()).map((delivery) => delivery.status)
    return statuses.length === 3 && statuses.every((status) => status === 'delivered' || status === 'dead')
  })
  return {
    ...world,
    endpoint,
    subscribed,
    stop: async () => {
      await world.stop()
      await endpoint.close()
    },
  }
}
