import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { firstIdAt } from '@payments/chassis/base/id'
import type { OutboxMessage } from '@payments/contracts/services/communication/contract'
import { until } from '@payments/testing/services/until'
import { erasuresAt } from './erasures.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  world.startLoop()
})
afterAll(() => world.stop())

const queuePath = (tenantId: string) => `/internal/tenants/${tenantId}/communications`

const invitation = (unitId: string, changes: object = {}) => ({
  message_id: randomUUID(),
  business_unit_id: unitId,
  communication_type: 'EMAIL',
  recipient: 'payer@example.com',
  template: 'invitation',
  variables: { amount: 'EUR 12.34', payment_url: 'https://pay.example.com/pay/abc' },
  ...changes,
})

test('sends a built-in template once for ten calls at once with one message id', async () => {
  const tenant = world.tenant()
  const body = invitation(tenant.unitId)
  const queue = () => world.inviteToPay().post(queuePath(tenant.id), body)
  const replies = await Promise.all(Array.from({ length: 10 }, queue))
  for (const reply of replies) expect([reply.status, reply.body.id]).toEqual([202, body.message_id])
  await until(async () => (await tenant.read(body.message_id)).status === 'sent')
  expect((await queue()).body).toEqual(await tenant.read(body.message_id))
  const [message, ...others] = await tenant.outbox()
  expect(others).toEqual([])
  expect(message.html).toContain('https://pay.example.com/pay/abc')
  expect(await tenant.events()).toHaveLength(1)
})

test('rejects a message, or one that follows from a code, from before its recipient was erased, during the erasure and after it', async () => {
  const tenant = world.tenant()
  const erasures = erasuresAt(world)
  const recipient = `erased.${randomUUID()}@example.com`
  await erasures.begin(tenant, recipient)
  const [before, after] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)]
  const queue = (at: Date, ofCode = {}) =>
    world
      .inviteToPay()
      .post(queuePath(tenant.id), invitation(tenant.unitId, { recipient, message_id: firstIdAt(at), ...ofCode }))
  const isRejected = async () => {
    for (const { status, body } of [await queue(before), await queue(after, { code_created_at: before })])
      expect([status, body.code]).toEqual([400, 'invalid_request'])
  }
  await isRejected()
  await erasures.run(tenant)
  await isRejected()
  expect((await queue(after, { code_created_at: after })).status).toBe(202)
})

test('sends a template of the tenant by its id', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  const body = invitation(tenant.unitId, { template: template.id, variables: { name: 'Ada' } })
  const { body: queued } = await world.inviteToPay().post(queuePath(tenant.id), body).expect(202)
  expect(queued.template_id).toBe(template.id)
})

test('drops variables that the template does not declare, and renders the others', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  const own = invitation(tenant.unitId, { template: template.id, variables: { name: 'Ada', amount: 'EUR 12.34' } })
  const text = invitation(tenant.unitId, { communication_type: 'SMS', recipient: '+4930123456', template: 'receipt' })
  for (const body of [own, text]) {
    await world.inviteToPay().post(queuePath(tenant.id), body).expect(202)
    await until(async () => (await tenant.read(body.message_id)).status === 'sent')
  }
  const messages = Object.fromEntries((await tenant.outbox()).map(({ id, text }: OutboxMessage) => [id, text]))
  expect(messages[own.message_id]).toBe('Dear Ada, welcome.')
  expect(messages[text.message_id]).toMatch(/received your payment of EUR 12\.34\. Thank you\.$/)
})

test('a payer gets the receipt of a payment to a unit that is deleted meanwhile', async () => {
  const tenant = world.tenant()
  const business_unit_id = tenant.addUnit({ status: 'deleted' })
  for (const template of ['receipt', 'authorization']) {
    const body = { ...invitation(business_unit_id, { template }), variables: { amount: 'EUR 12.34' } }
    expect((await world.inviteToPay().post(queuePath(tenant.id), body)).status).toBe(202)
    await until(async () => (await tenant.read(body.message_id)).status === 'sent')
  }
})

test('rejects an unknown unit, a deleted one, a foreign template and wrong variables, and queues nothing', async () => {
  const tenant = world.tenant()
  const { body: theirs } = await world.tenant().template()
  const codes: unknown[] = []
  for (const changes of [
    { business_unit_id: randomUUID() },
    { business_unit_id: tenant.addUnit({ status: 'deleted' }) },
    { template: theirs.id, variables: {} },
    { variables: { amount: 'EUR 1' } },
    { recipient: '+4930123456' },
  ]) {
    const { status, body } = await world.inviteToPay().post(queuePath(tenant.id), invitation(tenant.unitId, changes))
    codes.push([status, body.code])
  }
  expect(codes).toEqual([
    [404, 'business_unit_not_found'],
    [409, 'business_unit_deleted'],
    [422, 'template_unusable'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
  ])
  expect((await tenant.get('/v1/communication/communications')).body.data).toEqual([])
})

test('a repeated call gets the message of the first, whatever else it says, and no other tenant reads it', async () => {
  const tenant = world.tenant()
  const body = invitation(tenant.unitId)
  const { body: queued } = await world.inviteToPay().post(queuePath(tenant.id), body).expect(202)
  const again = await world.inviteToPay().post(queuePath(tenant.id), { ...body, business_unit_id: randomUUID() })
  expect([again.status, again.body.id]).toEqual([202, queued.id])
  const foreign = await world.tenant().get(`/v1/communication/communications/${queued.id}`)
  expect([foreign.status, foreign.body.code]).toEqual([404, 'communication_not_found'])
})
