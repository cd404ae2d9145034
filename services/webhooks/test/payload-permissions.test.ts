import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventTypes } from '@payments/contracts/edges/event-types'
import { missingPayloadPermission } from '@payments/contracts/edges/payload-permissions'
import type { Permission } from '@payments/contracts/grammar/permission'
import { payloadPermissions } from '@payments/contracts/services/webhooks/payload'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { dead, kill, letters } from './dead-letter-world.ts'
import { type Subscribed, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
let subscribed: Subscribed
let eventId: string
let deliveryId: string
beforeAll(async () => {
  endpoint = await receiver()
  // A receiver that repeats what it got.
  endpoint.respondWith(({ body }) => ({ status: 500, body }))
  world = await startWorld({ schedule: '0s' })
  await world.dispatch()
  subscribed = await subscribe(world, endpoint.url)
  const [event] = await kill(world, 1, subscribed)
  eventId = event?.id ?? ''
  deliveryId = (await dead(subscribed))[0]?.id ?? ''
})
afterAll(async () => {
  await endpoint.close()
  await world.stop()
})

const note = 'Ünïcode'
const pages = () => [
  `/v1/webhooks/${subscribed.unitId}/deliveries/${deliveryId}`,
  `/v1/webhooks/${subscribed.unitId}/events/${eventId}`,
  `${letters}/${deliveryId}`,
]
const readAs = (permissions: readonly Permission[]) => {
  const caller = world.asTenant(subscribed.tenantId, permissions)
  return Promise.all(pages().map((path) => caller.get(path)))
}
const readers: readonly Permission[] = ['webhook:ReadDelivery', 'deadletter:ReadDeadLetter']

describe('the payload of an event', () => {
  test('is shown with the permission to read the resource of the event', async () => {
    for (const { status, text, body } of await readAs([...readers, 'transaction:ReadTransaction'])) {
      expect([status, body.missing_permission]).toEqual([200, null])
      expect(text).toContain(note)
    }
  })

  test('is hidden without it, also where the receiver repeats it, and the response names the permission', async () => {
    const others = payloadPermissions.filter((one) => one !== 'transaction:ReadTransaction')
    for (const held of [readers, [...readers, ...others]]) {
      for (const { status, text, body } of await readAs(held)) {
        expect([status, body.missing_permission]).toEqual([200, 'transaction:ReadTransaction'])
        expect(text).not.toContain(note)
        expect(text).not.toMatch(/amount\W+1999/)
      }
    }
    const [delivery, explained, letter] = await readAs(readers)
    expect(delivery?.body).toMatchObject({
      request: { body: null },
      attempts: [{ status_code: 500, response_body: null, response_headers: null }],
    })
    expect(explained?.body.payload).toBeNull()
    expect(letter?.body).toMatchObject({ request: { body: null }, response: { status_code: 500, body: null } })
  })

  test('needs a permission for every event type, and all of them for a type of another release', () => {
    const none = { has: () => false }
    for (const type of Object.keys(eventTypes))
      expect(payloadPermissions).toContain(missingPayloadPermission(type, none))
    const allButOne = { has: (one: string) => one !== 'user:ReadUser' }
    expect(missingPayloadPermission('a.type.of.tomorrow', allButOne)).toBe('user:ReadUser')
    expect(missingPayloadPermission('toString', allButOne)).toBe('user:ReadUser')
    expect(missingPayloadPermission('a.type.of.tomorrow', { has: () => true })).toBeNull()
  })
})
