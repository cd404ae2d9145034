import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { firstIdAt } from '@payments/chassis/base/id'
import { countMessages } from '../src/verbs/count-messages.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const hourMs = 3_600_000
const startOfHour = (instant: number) => new Date(Math.floor(instant / hourMs) * hourMs)

const countAt = (instant: number) => countMessages({ ...world.deps, now: () => new Date(instant) }, null)
const readCounts = ({ id }: { id: string }) =>
  world.rows('SELECT hour, status, count FROM hourly_counts WHERE tenant_id = $1::uuid', id)

test('countMessages counts a message once, while ten processes count', async () => {
  const tenant = world.tenant()
  const { created_at } = (await tenant.send()).body
  await Promise.all(Array.from({ length: 10 }, () => countAt(Date.now() + hourMs)))
  expect(await readCounts(tenant)).toEqual([{ hour: startOfHour(Date.parse(created_at)), status: 'queued', count: 1 }])
})

test.each([
  ['an earlier hour', -hourMs],
  ['the next hour', hourMs],
])('countMessages counts a message in the hour in which it was queued, with an id of %s', async (_name, offsetMs) => {
  const tenant = world.tenant()
  const { body } = await world
    .inviteToPay()
    .post(`/internal/tenants/${tenant.id}/communications`, {
      message_id: firstIdAt(new Date(Date.now() + offsetMs)),
      business_unit_id: tenant.unitId,
      communication_type: 'EMAIL',
      recipient: 'payer@example.com',
      template: 'invitation',
      variables: { amount: 'EUR 12.34', payment_url: 'https://pay.example.com/pay/abc' },
    })
    .expect(202)
  await countAt(Date.now() + hourMs)
  expect(await readCounts(tenant)).toEqual([
    { hour: startOfHour(Date.parse(body.created_at)), status: 'queued', count: 1 },
  ])
})
