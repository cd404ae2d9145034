import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { settled, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  ;[world, endpoint] = await Promise.all([startWorld(), receiver()])
  await world.dispatch()
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
})

test('events between services are neither stored nor delivered, and no subscription can name them', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId, unitId } = subscribed
  const erasure = { erasure_id: randomUUID() }
  const event = someEvent(tenantId, unitId)
  const internal = [
    {
      type: 'communication.payers.erase',
      payload: { ...erasure, recipient: 'ada@example.com', requested_at: new Date().toISOString() },
    },
    { type: 'invite-to-pay.payers.erased', payload: { ...erasure, service: 'invite-to-pay', resources: 1 } },
  ].map((one) => ({ ...event, ...one, id: newId(), business_unit_id: null }))
  for (const one of [...internal, event]) await world.publish(one)
  await settled(subscribed, 'delivered')
  const stored = await world.rows('SELECT tenant_event_id::text AS id FROM events WHERE tenant_id = $1::uuid', tenantId)
  expect(stored).toEqual([{ id: event.id }])
  expect(endpoint.received).toHaveLength(1)
  const named = await subscribed.tenant.post(subscribed.unitPath, {
    destination_url: endpoint.url,
    event_types: ['communication.payers.erase'],
  })
  expect([named.status, named.body.code]).toEqual([422, 'unknown_event_type'])
})
