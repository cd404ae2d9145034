import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const colleague = randomUUID()
/** Subjects that sign-in providers give, and the worst that the gateway accepts: 255 characters, without NUL. */
const subjects = [
  'auth0|64b7f0c2a1',
  'ada@example.com',
  `${colleague}:x`,
  '::',
  'a\nb\u0001"\\',
  '\u{1f600}'.repeat(127),
  '\u20ac'.repeat(255),
]

test.each(subjects)('a person with the subject %j pays, refunds and voids, and each operation shows it', async (id) => {
  const tenant = world.tenant()
  const actor = { type: 'user', id } as const
  const person = tenant.as(actor)
  const paid = await person.authorize('visa', { capture: true })
  expect([paid.status, paid.body.status]).toEqual([201, 'captured'])
  expect((await person.refund(paid.body.id, { amount: 1 })).status).toBe(200)
  const authorized = await person.authorize()
  expect((await person.void(authorized.body.id)).body.status).toBe('voided')
  const waiting = await person.authorize('challenge', { return_url: 'https://shop.example.com/' })
  expect((await person.void(waiting.body.id)).status).toBe(200)

  const listed = await tenant.list()
  expect(listed.status).toBe(200)
  const shown = listed.body.data.flatMap((one: { operations: { actor: unknown }[] }) => one.operations)
  expect(shown).toHaveLength(7)
  for (const operation of shown) expect(operation.actor).toEqual(actor)
  expect((await tenant.eventTypes()).filter((type) => type !== 'create').sort()).toEqual(
    ['authorize', 'authorize.and.capture', 'authorize.failed', 'refund', 'void', 'void'].sort(),
  )
  expect(await world.deps.quarantinedEvents.depth()).toBe(0)
})

test('a decision about an unknown outcome names its author, whatever the subject', async () => {
  const tenant = world.tenant()
  const person = tenant.as({ type: 'user', id: `${colleague}:x` })
  const { body } = await person.authorize('unknown_forever')
  world.advanceClock(25 * 60 * 60 * 1000)
  const { id } = body.operations[0]
  const path = `/v1/payment-proxy/transactions/${body.id}/operations/${id}/resolve`
  const reply = await person.send('post', path, { outcome: 'succeeded', note: 'found' })
  expect(reply.body.operations[0].resolution.resolved_by).toBe(`user:${colleague}:x`)
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
})

test('an operation whose event could not be written is not sent to the provider, and changes nothing', async () => {
  const { tenant, id } = await world.captured('visa', { amount: 100 })
  const details = (json: string) =>
    world.rows('UPDATE transactions SET customer_details = $2::jsonb WHERE id = $1::uuid', id, json)
  await details('[]')
  expect((await tenant.refund(id, { amount: 1 })).status).toBe(500)
  expect(await tenant.ledger()).toHaveLength(2)
  expect(await tenant.recorded()).toHaveLength(2)
  await details('{}')
  expect((await tenant.refund(id, { amount: 1 })).status).toBe(200)
})
