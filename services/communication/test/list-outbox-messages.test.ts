import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  world.startLoop()
})
afterAll(() => world.stop())

test('shows what would have been sent, newest first, to the tenant only', async () => {
  const tenant = world.tenant()
  const first = (await tenant.send({ html: '<p>Text</p>' })).body
  await until(async () => (await tenant.read(first.id)).status === 'sent')
  const sms = { communication_type: 'SMS', recipient: '+4930123456', subject: undefined, text: 'Code' }
  const second = (await tenant.send(sms)).body
  await until(async () => (await tenant.read(second.id)).status === 'sent')
  const [newest, oldest, ...others] = await tenant.outbox()
  expect(newest).toMatchObject({ id: second.id, communication_type: 'SMS', recipient: '+4930123456', text: 'Code' })
  expect(oldest).toMatchObject({ id: first.id, subject: 'Hi', text: 'Text', html: '<p>Text</p>' })
  expect(others).toEqual([])
  const { body: filtered } = await tenant.get('/v1/communication/outbox?recipient=payer%40example.com')
  expect(filtered.data).toEqual([oldest])
  expect(await world.tenant().outbox()).toEqual([])
})

test('does not exist outside of development', async () => {
  const production = await startWorld({ showsOutbox: false })
  const { status, body } = await production.tenant().get('/v1/communication/outbox')
  expect([status, body.code]).toEqual([404, 'route_not_found'])
  await production.stop()
})
