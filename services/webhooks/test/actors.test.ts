import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { dead, kill, letters } from './dead-letter-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

/** Sign-in providers choose the subjects of users: any text of up to 255 characters. */
let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500 }))
})
afterEach(() => endpoint.close())

test.each([
  'auth0|5f7c8ec7c33c6c004bbafe82',
  'ada@example.com',
  `${randomUUID()}:x`,
  'https://id.example.com/users/1?a=b#c',
  'ü🦆'.padEnd(255, 'x'),
])('a person with the subject %s starts and cancels tasks, and discards deliveries', async (subject) => {
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId, unitId, path } = subscribed
  const person = world.createCallers(world.app).asTenant(tenantId, undefined, { type: 'user', id: subject })
  await kill(world, 2, subscribed)
  const ids = (await dead(subscribed)).map(({ id }) => id)

  const redrive = await person.post(`${letters}/redrive`, { ids: [ids[0]], rate_per_second: 1 })
  expect(redrive.status).toBe(202)
  expect((await person.get(`${letters}/tasks/${redrive.body.task_id}`)).body.created_by).toBe(`user:${subject}`)
  expect([200, 409]).toContain((await person.post(`${letters}/tasks/${redrive.body.task_id}/cancel`)).status)

  const discard = await person.post(`${letters}/discard`, { ids: [ids[1]], reason: 'obsolete' })
  expect(discard.status).toBe(202)
  await until(async () => (await subscribed.deliveries('?status=discarded')).length === 1)
  const [discarded] = await subscribed.deliveries('?status=discarded')
  const explained = await person.get(`/v1/webhooks/${unitId}/events/${discarded?.tenant_event_id}`)
  expect(explained.body.subscriptions[0].reason).toBe(`Discarded by user:${subject}. Reason: obsolete`)

  const listed = await person.get(`${letters}/tasks`)
  expect(listed.body.data.map((task: { created_by: string }) => task.created_by)).toEqual([
    `user:${subject}`,
    `user:${subject}`,
  ])
  const operators = await world.asOperator.get('/internal/tasks?limit=200')
  expect([operators.status, operators.text.includes(JSON.stringify(`user:${subject}`))]).toEqual([200, true])
  expect((await person.post(`${path}/recover`, { since: hourAgo(), until: new Date().toISOString() })).status).toBe(202)
  expect((await person.post(`${path}/test`)).status).toBe(202)
})

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString()
