import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { codesPath, payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  // Two processes.
  world.startSending()
  world.startSending()
})
afterAll(() => world.stop())
beforeEach(() => {
  Object.assign(world.communication.state, { isDown: false, isRejecting: false, isLimiting: false })
})

const messagesTo = (recipient: string) =>
  [...world.communication.messages.values()].filter((message) => message.recipient === recipient)
const dayMs = 86_400_000
const newRecipient = () => `${randomUUID()}@example.com`

test('hands over an invitation with link, amount, payer and last day in the timezone of the unit', async () => {
  const tenant = world.tenant({ timezone_name: 'Pacific/Kiritimati' })
  const recipient = newRecipient()
  const template = randomUUID()
  // Noon in UTC is the next day at 2 in Kiritimati.
  const expiresAt = new Date(Date.now() + 2 * dayMs)
  expiresAt.setUTCHours(12, 0, 0, 0)
  const nextDay = new Date(expiresAt.getTime() + dayMs)
  world.communication.state.templates.add(template)
  const code = await tenant.create({
    recipient,
    template_id: template,
    expires_at: expiresAt.toISOString(),
    communication_details: { payer_name: 'Ada', description: 'Order 7', variables: { table: '12', amount: 'free' } },
  })
  await until(async () => (await tenant.read(code.id)).last_sent_at !== null)
  const [message, ...others] = messagesTo(recipient)
  expect(others).toEqual([])
  expect(message).not.toHaveProperty('code_created_at')
  expect(message).toMatchObject({
    template,
    variables: {
      amount: '€39.98',
      payment_url: code.url,
      payer_name: 'Ada',
      description: 'Order 7',
      expires_on: new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(nextDay),
      expires_at: expect.stringMatching(/, \d{4} at \d{1,2}:\d{2} [AP]M \(.+\)$/),
      reference: code.transaction_id,
      table: '12',
    },
  })
  const read = await tenant.read(code.id)
  expect([read.communication_id, read.version]).toEqual([message?.message_id, 1])
})

test.each([
  [true, 'tok_visa', 'receipt'],
  [false, 'tok_visa', 'authorization'],
  [true, 'tok_capture_declined', 'authorization'],
])('hands over the message of a payment with capture %s of %s: %s', async (capture, token, name) => {
  const recipient = newRecipient()
  const tenant = world.tenant()
  const code = await tenant.create({ recipient, capture })
  await world.pay(code, token)
  await until(() => messagesTo(recipient).some(({ template }) => template !== 'invitation'))
  expect(messagesTo(recipient).at(-1)).toMatchObject({
    template: name,
    // communication rejects it when the recipient was erased after the code was created.
    code_created_at: new Date(code.created_at),
    variables: { amount: '€39.98', reference: code.transaction_id },
    items: [{ name: 'Coffee' }],
  })
  const error = token === 'tok_capture_declined' ? expect.objectContaining({ code: 'not_captured' }) : null
  expect((await tenant.read(code.id)).last_error).toEqual(error)
})

test('hands over no invitation of a code that has ended', async () => {
  const tenant = world.tenant()
  const canceled = newRecipient()
  // While communication is down, nothing but the end of the code can end the message.
  world.communication.state.isDown = true
  const ended = await tenant.create({ recipient: canceled })
  await tenant.post(`${codesPath}/${ended.id}/cancel`).expect(200)
  const isDone = async () =>
    (await world.rows('SELECT 1 FROM messages WHERE code_id = $1::uuid AND due_at IS NULL', ended.id)).length === 1
  await until(isDone)
  expect(messagesTo(canceled)).toEqual([])
})

test('after the deletion of its payment orchestrator, a link ends, and its messages are not sent', async () => {
  const tenant = world.tenant()
  const recipient = newRecipient()
  const code = await tenant.create({ recipient })
  await until(() => messagesTo(recipient).length === 1)
  await world.setOrchestratorStatus(tenant.unitId, 'deleted')
  const page = await world.payer.get(payPagePath(code))
  expect([page.status, page.text.includes('This link was canceled')]).toEqual([410, true])
  await world.age(code.id, 60)
  const path = `/internal/tenants/${tenant.id}/transactions/${code.transaction_id}/resend`
  const resent = await world.asService().post(path, { resend_id: randomUUID() })
  expect([resent.status, resent.body.code]).toEqual([409, 'code_not_active'])
  await world.rows(`UPDATE messages SET due_at = now() - interval '1 second' WHERE code_id = $1::uuid`, code.id)
  const isOpen = async () =>
    (await world.rows('SELECT 1 FROM messages WHERE code_id = $1::uuid AND due_at IS NOT NULL', code.id)).length > 0
  await until(async () => !(await isOpen()))
  expect(messagesTo(recipient)).toHaveLength(1)
})

test('loses no message while communication is down', async () => {
  const tenant = world.tenant()
  const recipient = newRecipient()
  world.communication.state.isDown = true
  const codes = await Promise.all(Array.from({ length: 20 }, () => tenant.create({ recipient })))
  const attempted = async () =>
    (await world.rows('SELECT 1 FROM messages WHERE tenant_id = $1::uuid AND attempt_count = 0', tenant.id)).length
  await until(async () => (await attempted()) === 0)
  expect(messagesTo(recipient)).toEqual([])
  world.communication.state.isDown = false
  await until(async () => {
    await world.rows(
      `UPDATE messages SET due_at = clock_timestamp() - interval '1 second'
       WHERE due_at > clock_timestamp() AND tenant_id = $1::uuid`,
      tenant.id,
    )
    return messagesTo(recipient).length === codes.length
  })
})

test('a message beyond the rate of its tenant or recipient waits, and is handed over later', async () => {
  const tenant = world.tenant()
  const recipient = newRecipient()
  world.communication.state.isLimiting = true
  const code = await tenant.create({ recipient })
  const rows = () =>
    world.rows<{ count: number; due: boolean }>(
      'SELECT attempt_count AS count, due_at IS NOT NULL AS due FROM messages WHERE code_id = $1::uuid',
      code.id,
    )
  const makeDue = () =>
    world.rows(
      `UPDATE messages SET due_at = clock_timestamp() - interval '1 second' WHERE code_id = $1::uuid RETURNING 1`,
      code.id,
    )
  await until(async () => ((await rows())[0]?.count ?? 0) > 1)
  expect(await rows()).toMatchObject([{ due: true }])
  expect((await tenant.read(code.id)).last_error).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining('The message waits for its turn'),
  })
  world.communication.state.isLimiting = false
  await makeDue()
  await until(() => messagesTo(recipient).length === 1)
  await until(async () => (await tenant.read(code.id)).last_error === null)
})

test('a code that is canceled while its message waits for a rate has no error', async () => {
  const tenant = world.tenant()
  world.communication.state.isLimiting = true
  const code = await tenant.create({ recipient: newRecipient() })
  await until(async () => (await tenant.read(code.id)).last_error?.code === 'rate_limited')
  await tenant.post(`${codesPath}/${code.id}/cancel`).expect(200)
  const hasNone = until(async () => (await tenant.read(code.id)).last_error === null)
  await expect(hasNone).resolves.toBeUndefined()
  world.communication.state.isLimiting = false
})

test('a rejection ends a message and becomes the last error, until a later message is handed over', async () => {
  const tenant = world.tenant()
  world.communication.state.isRejecting = true
  const code = await tenant.create({ recipient: newRecipient() })
  await until(async () => (await tenant.read(code.id)).last_error !== null)
  expect((await tenant.read(code.id)).last_error?.code).toBe('template_unusable')
  expect(await world.rows('SELECT 1 FROM messages WHERE code_id = $1::uuid AND due_at IS NOT NULL', code.id)).toEqual(
    [],
  )
  world.communication.state.isRejecting = false
  await world.age(code.id, 60)
  const path = `/internal/tenants/${tenant.id}/transactions/${code.transaction_id}/resend`
  await world.asService().post(path, { resend_id: randomUUID() }).expect(200)
  await until(async () => (await tenant.read(code.id)).last_error === null)
})

test('a message that was not handed over for a day becomes the last error', async () => {
  const tenant = world.tenant()
  world.communication.state.isDown = true
  const code = await tenant.create({
    recipient: newRecipient(),
    expires_at: new Date(Date.now() + 172_800_000).toISOString(),
  })
  await world.rows(`UPDATE messages SET created_at = created_at - interval '1 day' WHERE code_id = $1::uuid`, code.id)
  await expect(
    until(async () => {
      await world.rows(
        `UPDATE messages SET due_at = clock_timestamp() - interval '1 second'
         WHERE code_id = $1::uuid AND due_at IS NOT NULL`,
        code.id,
      )
      return (await tenant.read(code.id)).last_error?.code === 'service_unavailable'
    }),
  ).resolves.toBeUndefined()
})
