/** @slow It measures slow functions with every hostile text. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventPatterns } from '@payments/contracts/edges/event-patterns'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { consumerSuite } from '@payments/testing/suites/consumers'
import { testEventType } from '../src/domain/event/event-type.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
let dispatcher: Awaited<ReturnType<World['dispatch']>>
const tenantId = randomUUID()
let unitId: string
beforeAll(async () => {
  // The queue receives the events of the suite only.
  ;[world, endpoint] = await Promise.all([startWorld({ relays: false }), receiver()])
  dispatcher = await world.dispatch()
  ;({ unitId } = await subscribe(world, endpoint.url, { tenantId }))
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
})

consumerSuite(eventPatterns.webhooks, () => ({
  broker: { prefix: world.prefix, publisher: world.broker.publisher },
  metrics: dispatcher.metrics,
  queue: world.names.events,
  tenantId,
  prepare: (event) => ({ ...event, business_unit_id: event.business_unit_id === null ? null : unitId }),
  readsPayload: (type) => type === testEventType,
}))

test('delivers the events of the tenant', async () => {
  expect(await endpoint.waitFor(() => true)).not.toEqual([])
})
