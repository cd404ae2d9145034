import { hash, randomUUID } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { plainEmail, startWorld, type World, type WorldOptions } from './world.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function worldWith(rates: NonNullable<WorldOptions['rates']>): Promise<World> {
  const world = await startWorld({ rates })
  stops.push(() => world.stop())
  return world
}

const listQueued = (world: World, tenantId: string) =>
  world.rows('SELECT 1 FROM communications WHERE tenant_id = $1::uuid', tenantId)

const fillQueue = (world: World, tenantId: string, count: number) =>
  world.rows(
    `INSERT INTO communications (id, tenant_id, business_unit_id, communication_type, recipient, trace_id, provider, content, due_at)
     SELECT gen_random_uuid(), $1::uuid, $1::uuid, 'EMAIL', 'x@example.com', gen_random_uuid(), 'outbox', '{}', now() + interval '1 hour'
     FROM generate_series(1, $2::int) RETURNING 1`,
    tenantId,
    count,
  )

test('rejects messages of a tenant to one recipient beyond the rate, queues nothing, and admits them later', async () => {
  const world = await worldWith({ perTenantRecipientAndHour: 3 })
  const tenant = world.tenant()
  const spellings = ['payer@example.com', 'PAYER@Example.com', 'payer+1@example.com']
  for (const recipient of spellings) await tenant.send({ recipient }).expect(202)
  const rejected = await tenant.send({ recipient: 'payer+2@example.com' })
  expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
  const seconds = Number(rejected.headers['retry-after'])
  expect(seconds).toBeGreaterThan(1_190)
  expect(seconds).toBeLessThanOrEqual(1_200)
  expect(await listQueued(world, tenant.id)).toHaveLength(3)
  await tenant.send({ recipient: 'other@example.com' }).expect(202)
  await world.tenant().send().expect(202)
  world.clock.offsetMs = seconds * 1_000
  await tenant.send().expect(202)
  expect((await tenant.send()).status).toBe(429)
})

test('bounds the messages of all tenants to one recipient, by telephone too', async () => {
  const world = await worldWith({ perRecipientAndHour: 4 })
  const sms = { communication_type: 'SMS', subject: undefined, recipient: '+4930123456' }
  for (const body of [{}, sms]) {
    const statuses: number[] = []
    for (let i = 0; i < 6; i += 1) statuses.push((await world.tenant().send(body)).status)
    expect(statuses).toEqual([202, 202, 202, 202, 429, 429])
  }
})

test('tenants that use up the rate of a recipient delay neither the share of another tenant nor its receipts', async () => {
  const world = await worldWith({ perTenantRecipientAndHour: 3, shareOfTenantAndHour: 1, perRecipientAndHour: 4 })
  const statuses = async (count: number, send: () => PromiseLike<{ status: number }>) => {
    const sent: number[] = []
    for (let i = 0; i < count; i += 1) sent.push((await send()).status)
    return sent
  }
  const [first, second, third] = [world.tenant(), world.tenant(), world.tenant()]
  expect(await statuses(4, () => first.send())).toEqual([202, 202, 202, 429])
  expect(await statuses(4, () => second.send())).toEqual([202, 202, 202, 429])
  expect(await statuses(2, () => third.send())).toEqual([202, 429])
  const receipt = () =>
    world.inviteToPay().post(`/internal/tenants/${third.id}/communications`, {
      message_id: randomUUID(),
      business_unit_id: third.unitId,
      communication_type: 'EMAIL',
      recipient: 'payer@example.com',
      template: 'receipt',
      variables: { amount: 'EUR 1.00' },
    })
  expect(await statuses(4, receipt)).toEqual([202, 202, 202, 429])
})

test('the messages of callers to a recipient delay no invitation of the same tenant to it', async () => {
  const world = await worldWith({ perTenantRecipientAndHour: 3, shareOfTenantAndHour: 1, perRecipientAndHour: 4 })
  const tenant = world.tenant()
  const statuses: number[] = []
  for (let i = 0; i < 4; i += 1) statuses.push((await tenant.send()).status)
  const toUser = {
    message_id: randomUUID(),
    tenant_name: 'Juniper',
    recipient: 'payer@example.com',
    url: 'https://console.example.com/session/accept/x',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  }
  const toPayer = {
    message_id: randomUUID(),
    business_unit_id: tenant.unitId,
    communication_type: 'EMAIL',
    recipient: 'payer@example.com',
    template: 'invitation',
    variables: { amount: 'EUR 1.00', payment_url: 'https://pay.example.com/pay/x', expires_at: 'tomorrow' },
  }
  const internal = `/internal/tenants/${tenant.id}`
  const payer = await world.inviteToPay().post(`${internal}/communications`, toPayer)
  const user = await world.identity().post(`${internal}/user-invitations`, toUser)
  expect([...statuses, payer.status, payer.body.code, user.status, user.body.code]).toEqual([
    202,
    202,
    202,
    429,
    202,
    undefined,
    202,
    undefined,
  ])
})

test('bounds the messages of a tenant, half of them for one key, and another tenant notices nothing', async () => {
  const world = await worldWith({ perTenantAndMinute: 5 })
  const tenant = world.tenant()
  const other = world.asTenant(tenant.id)
  const recipient = () => `${randomUUID()}@example.com`
  for (let i = 0; i < 3; i += 1) await tenant.send({ recipient: recipient() }).expect(202)
  expect((await tenant.send({ recipient: recipient() })).body.detail).toBe('Too many messages of the API key or user')
  const send = () =>
    other.post('/v1/communication/communications', {
      ...plainEmail,
      business_unit_id: tenant.unitId,
      recipient: recipient(),
    })
  for (let i = 0; i < 2; i += 1) expect((await send()).status).toBe(202)
  const rejected = await send()
  expect([rejected.status, rejected.body.detail]).toEqual([429, 'Too many messages of the tenant'])
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(12)
  await world.tenant().send().expect(202)
})

test('admits as many of ten requests at once as the rate allows', async () => {
  const world = await worldWith({ perTenantRecipientAndHour: 4 })
  const tenant = world.tenant()
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.send()))
  expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
    ...Array(4).fill(202),
    ...Array(6).fill(429),
  ])
  expect(await listQueued(world, tenant.id)).toHaveLength(4)
})

test('a rejected request takes nothing of any rate, and its Idempotency-Key can be used again', async () => {
  const world = await worldWith({ perTenantAndMinute: 6, perTenantRecipientAndHour: 1 })
  const tenant = world.tenant()
  await tenant.send().expect(202)
  for (let i = 0; i < 5; i += 1) expect((await tenant.send({}, { 'Idempotency-Key': 'one' })).status).toBe(429)
  expect((await tenant.send({ subject: undefined })).status).toBe(400)
  for (const recipient of ['a@example.com', 'b@example.com']) await tenant.send({ recipient }).expect(202)
  world.clock.offsetMs = 3_600_000
  await tenant.send({}, { 'Idempotency-Key': 'one' }).expect(202)
})

test('the messages of callers leave the invitations of their tenant a rate and a place in the queue', async () => {
  const world = await worldWith({ perTenantAndMinute: 4 })
  const tenant = world.tenant()
  const invite = () =>
    world.inviteToPay().post(`/internal/tenants/${tenant.id}/communications`, {
      message_id: randomUUID(),
      business_unit_id: tenant.unitId,
      communication_type: 'EMAIL',
      recipient: `${randomUUID()}@example.com`,
      template: 'reminder',
      variables: { amount: 'EUR 1.00', payment_url: 'https://pay.payments.test/pay/x' },
    })
  const statuses = []
  for (let i = 0; i < 3; i += 1) statuses.push((await tenant.send({ recipient: `${i}@example.com` })).status)
  for (let i = 0; i < 5; i += 1) statuses.push((await invite()).status)
  expect(statuses).toEqual([202, 202, 429, 202, 202, 202, 202, 429])
  await fillQueue(world, tenant.id, 9_000)
  world.clock.offsetMs = 3_600_000
  expect([(await tenant.send()).status, (await invite()).status]).toEqual([429, 202])
})

test('invitations to pay beyond their rate delay neither receipts nor invitations of users', async () => {
  const world = await worldWith({ perTenantAndMinute: 2 })
  const { id, unitId } = world.tenant()
  const recipient = () => `${randomUUID()}@example.com`
  const queue = (template: string, variables: object) =>
    world.inviteToPay().post(`/internal/tenants/${id}/communications`, {
      ...{ message_id: randomUUID(), business_unit_id: unitId, communication_type: 'EMAIL' },
      ...{ recipient: recipient(), template, variables },
    })
  const invite = () => queue('reminder', { amount: 'EUR 1.00', payment_url: 'https://pay.payments.test/pay/x' })
  const statuses = []
  for (let sent = 0; sent < 3; sent += 1) statuses.push((await invite()).status)
  statuses.push((await queue('receipt', { amount: 'EUR 1.00' })).status)
  const toUser = {
    ...{ message_id: randomUUID(), tenant_name: 'Juniper', recipient: recipient() },
    url: 'https://console.example.com/session/accept/x',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  }
  statuses.push((await world.identity().post(`/internal/tenants/${id}/user-invitations`, toUser)).status)
  expect(statuses).toEqual([202, 202, 429, 202, 202])
})

test('a queue of 10 000 messages of a tenant takes no more', async () => {
  const world = await worldWith({})
  const tenant = world.tenant()
  await fillQueue(world, tenant.id, 10_000)
  const rejected = await tenant.send()
  expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
  await world.tenant().send().expect(202)
})

test('counts the messages of invite-to-pay, but no repeated call', async () => {
  const world = await worldWith({ perTenantRecipientAndHour: 1 })
  const tenant = world.tenant()
  const queue = (messageId: string) =>
    world.inviteToPay().post(`/internal/tenants/${tenant.id}/communications`, {
      message_id: messageId,
      business_unit_id: tenant.unitId,
      communication_type: 'EMAIL',
      recipient: 'payer@example.com',
      template: 'receipt',
      variables: { amount: 'EUR 1.00' },
    })
  const first = randomUUID()
  for (let i = 0; i < 3; i += 1) await queue(first).expect(202)
  const rejected = await queue(randomUUID())
  expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
})

test('unused rates are deleted, and no rate names a recipient', async () => {
  const world = await worldWith({ perTenantRecipientAndHour: 2 })
  const tenant = world.tenant()
  await tenant.send({ recipient: 'payer@example.com' }).expect(202)
  const rates = () => world.rows<{ key: string }>('SELECT key FROM message_rates')
  const keys = await rates()
  expect(keys).toHaveLength(4)
  expect(JSON.stringify(keys)).not.toContain('@')
  // Keys are found again with the key of the process alone.
  const guessed = ['payer@example.com', `${tenant.id} payer@example.com`].map((one) => hash('sha256', one, 'base64url'))
  expect(keys.filter(({ key }) => guessed.includes(key))).toEqual([])
  await purgeExpired(world.deps)
  expect(await rates()).not.toEqual([])
  world.clock.offsetMs = 3_600_001
  await purgeExpired(world.deps)
  expect(await rates()).toEqual([])
})
