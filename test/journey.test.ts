import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { services, withClient } from '@payments/devkit/servers/databases'
import { type Received, type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { Webhook } from 'standardwebhooks'
import { clientJourney } from './client-journey.ts'
import { readLogs } from './logs.ts'
import { findUnexported, labelsBySample, promtool, scrape } from './observe/exported.ts'
import { type Call, callPayctl, createCaller, type Onboarded, onboard } from './tenant.ts'

/**
 * The main flow, end to end: separate processes, a real PostgreSQL, a real RabbitMQ, real receivers. Each step needs
 * the previous ones.
 */
const platform = sharedPlatform()
let everything: Receiver
let refundsOnly: Receiver
let failing: Receiver
let neighbour: Receiver
let acme: Onboarded
let other: Onboarded
let admin: Call
let developer: Call
let clerkKey: { id: string; value: string }
const secrets = new Map<Receiver, string>()

beforeAll(async () => {
  ;[everything, refundsOnly, failing, neighbour] = await Promise.all([receiver(), receiver(), receiver(), receiver()])
}, 120_000)

afterAll(async () => {
  await Promise.all([everything, refundsOnly, failing, neighbour].map((one) => one.close()))
}, 120_000)

const eventType = (type: string) => (received: Received) => parseMessage(received).event_type === type
const parseMessage = (received: Received) => JSON.parse(received.body.toString('utf8'))

async function subscribe(call: Call, unit: string, to: Receiver, fields: object = {}) {
  const created = await call('POST', `/v1/webhooks/${unit}/webhooks`, { destination_url: `${to.url}/hook`, ...fields })
  expect([created.status, created.body.code]).toEqual([201, undefined])
  const revealed = await call('GET', `/v1/webhooks/${unit}/webhooks/${created.body.id}/reveal`)
  expect(revealed.body.secret).toMatch(/^whsec_/)
  expect(created.body.secret).not.toBe(revealed.body.secret)
  secrets.set(to, revealed.body.secret)
  return created.body.id as string
}

const queue = 'webhooks.dead-letters'
const onQueues = async (...args: string[]) => JSON.parse((await callPayctl(platform, 'dlq', ...args, '--json')).stdout)

/** The messages of Acme in the queue of dead letters. */
async function peekAtAcmes(): Promise<object[]> {
  const messages: { tenant_id: string }[] = await onQueues('peek', queue, '--limit', '200')
  return messages.filter(({ tenant_id: id }) => id === acme.tenant_id)
}

/** Checks of a receiver: the signature with the public library, and the shape of the body. */
function verifyMessage(to: Receiver, received: Received, unit: string, tenantId: string) {
  const message = new Webhook(secrets.get(to) ?? '').verify(
    received.body,
    received.headers as Record<string, string>,
  ) as {
    trace_id: string
    tenant_event_id: string
    metadata: { payload: { transaction: { id: string; status: string } } }
  }
  expect(Object.keys(message).sort()).toEqual(['event_type', 'metadata', 'tenant_event_id', 'tenant_id', 'trace_id'])
  expect(Object.keys(message.metadata).sort()).toEqual(['business_unit_id', 'payload'])
  expect(message).toMatchObject({ tenant_id: tenantId, metadata: { business_unit_id: unit } })
  expect(received.headers['trace-id']).toBe(message.trace_id)
  expect(received.headers['webhook-id']).toBe(message.tenant_event_id)
  return message
}

test('an operator onboards two tenants', async () => {
  ;[acme, other] = await Promise.all([onboard(platform, 'Acme'), onboard(platform, 'Other')])
  admin = createCaller(platform, acme.api_key.value, acme.tenant_id)
  expect((await admin('GET', '/v1/api-key/keys')).body.data).toHaveLength(1)
})

test('a new key has no permissions until it has roles, and then has theirs', async () => {
  const created = await admin('POST', '/v1/api-key/keys', { name: 'Shop', description: 'Takes payments' })
  expect(created.status).toBe(201)
  clerkKey = created.body
  developer = createCaller(platform, clerkKey.value, acme.tenant_id)
  expect((await developer('GET', '/v1/payment-proxy/transactions')).body.code).toBe('permission_denied')

  const roleIds = acme.roles.filter((role) => role.name === 'admin').map((role) => role.id)
  expect((await admin('PUT', `/v1/api-key/keys/${clerkKey.id}/roles`, { role_ids: roleIds })).status).toBe(200)
  expect((await developer('GET', '/v1/payment-proxy/transactions')).status).toBe(200)
})

test('rejects a caller of another tenant, always with the same response', async () => {
  const strangers = [
    createCaller(platform, acme.api_key.value, other.tenant_id),
    createCaller(platform, acme.api_key.value.slice(0, -1), acme.tenant_id),
    createCaller(platform, 'nonsense', acme.tenant_id),
  ]
  const bodies = await Promise.all(strangers.map((stranger) => stranger('GET', '/v1/api-key/keys')))
  expect(bodies.map(({ status }) => status)).toEqual([401, 401, 401])
  expect(new Set(bodies.map(({ body }) => JSON.stringify({ ...body, trace_id: '' }))).size).toBe(1)
})

test('a JWT of a viewer reads and does not write', async () => {
  const { stdout } = await callPayctl(platform, 'token', '--tenant', acme.tenant_id, '--role', 'viewer', '--json')
  const viewer = createCaller(platform, JSON.parse(stdout).token, null)
  expect((await viewer('GET', '/v1/rbac/roles')).status).toBe(200)
  expect((await viewer('POST', '/v1/api-key/keys', { name: 'No' })).body.code).toBe('permission_denied')
})

test('authorize, capture and refund arrive at the subscriptions they match, signed, in the promised shape', async () => {
  const unit = acme.business_unit_id
  await subscribe(developer, unit, everything)
  await subscribe(developer, unit, refundsOnly, {
    event_types: ['payment-proxy.transactions.refund'],
    label: 'Refunds',
  })
  const theirs = createCaller(platform, other.api_key.value, other.tenant_id)
  await subscribe(theirs, other.business_unit_id, neighbour)
  const foreign = await theirs('POST', `/v1/webhooks/${unit}/webhooks`, { destination_url: `${neighbour.url}/hook` })
  expect([foreign.status, foreign.body.code]).toEqual([404, 'business_unit_not_found'])

  const authorized = await developer('POST', '/v1/payment-proxy/transactions/authorize', payment(unit))
  expect([authorized.status, authorized.body.status]).toEqual([201, 'authorized'])
  const path = `/v1/payment-proxy/transactions/${authorized.body.id}`
  expect((await developer('POST', `${path}/capture`, {})).body.status).toBe('captured')
  expect((await developer('POST', `${path}/refund`, { amount: 500 })).body).toMatchObject({
    status: 'partially_refunded',
    amount_refunded: 500,
    amount_refundable: 1499,
  })

  const expected = { create: 'pending', authorize: 'authorized', capture: 'captured', refund: 'partially_refunded' }
  for (const [action, status] of Object.entries(expected)) {
    const [arrived] = await everything.waitFor(eventType(`payment-proxy.transactions.${action}`))
    const message = verifyMessage(everything, arrived as Received, unit, acme.tenant_id)
    expect(message.metadata.payload.transaction).toMatchObject({ id: authorized.body.id, status })
  }
  const [refund] = await refundsOnly.waitFor(eventType('payment-proxy.transactions.refund'))
  verifyMessage(refundsOnly, refund as Received, unit, acme.tenant_id)
  expect(refundsOnly.received).toHaveLength(1)
})

test('a declined card is a 402 and its event says so', async () => {
  const declined = await developer(
    'POST',
    '/v1/payment-proxy/transactions/authorize',
    payment(acme.business_unit_id, 'tok_sandbox_insufficient_funds'),
  )
  expect(declined.body).toMatchObject({ status: 402, code: 'payment_declined', decline_code: 'insufficient_funds' })
  await everything.waitFor(eventType('payment-proxy.transactions.authorize.failed'))
})

test('the same Idempotency-Key pays once', async () => {
  const header = { 'idempotency-key': randomUUID() }
  const send = () =>
    developer('POST', '/v1/payment-proxy/transactions/authorize', payment(acme.business_unit_id), header)
  const [first, again] = [await send(), await send()]
  expect(again.body).toEqual(first.body)
  expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([null, 'true'])
})

test('a receiver that fails is tried again on schedule under the same tenant_event_id, then the delivery is dead and listed', async () => {
  const unit = acme.business_unit_id
  failing.respondWith(() => ({ status: 500, body: 'out of order' }))
  const id = await subscribe(developer, unit, failing, { event_types: ['payment-proxy.transactions.void'] })
  const { body } = await developer('POST', '/v1/payment-proxy/transactions/authorize', payment(unit))
  expect((await developer('POST', `/v1/payment-proxy/transactions/${body.id}/void`, {})).body.status).toBe('voided')

  const attempts = await failing.waitFor(() => true, { count: 3 })
  expect(
    new Set(attempts.map((attempt) => verifyMessage(failing, attempt, unit, acme.tenant_id).tenant_event_id)).size,
  ).toBe(1)
  const dead = await eventually(async () => {
    const { body: deliveries } = await developer(
      'GET',
      `/v1/webhooks/${unit}/deliveries?subscription_id=${id}&status=dead`,
    )
    return deliveries.data[0]
  })
  const { body: delivery } = await developer('GET', `/v1/webhooks/${unit}/deliveries/${dead.id}`)
  expect(
    delivery.attempts.map((attempt: { number: number; status_code: number; response_body: string }) => [
      attempt.number,
      attempt.status_code,
      attempt.response_body,
    ]),
  ).toEqual([1, 2, 3].map((number) => [number, 500, 'out of order']))
  const listed = await eventually(async () => {
    const queues: { name: string; depth: number }[] = await onQueues('list')
    return queues.find(({ name, depth }) => name === queue && depth > 0)
  })
  expect(listed).toMatchObject({ oldest_at: expect.any(String) })
  expect(await peekAtAcmes()).toMatchObject([
    { id: dead.id, tenant_id: acme.tenant_id, attempts: 3, destination_url: `${failing.url}/hook` },
  ])
})

test('redriven, the dead letter is delivered under the same tenant_event_id and is in the queue no more', async () => {
  failing.respondWith(() => ({ status: 204 }))
  const before = failing.received.length
  expect(await onQueues('redrive', queue, '--tenant', acme.tenant_id)).toEqual({ redriven: 1 })
  const all = await failing.waitFor(() => true, { count: before + 1 })
  expect(new Set(all.map((one) => parseMessage(one).tenant_event_id)).size).toBe(1)
  const unit = acme.business_unit_id
  await eventually(
    async () => (await developer('GET', `/v1/webhooks/${unit}/deliveries?status=dead`)).body.data.length === 0,
  )
  expect(await peekAtAcmes()).toEqual([])
})

test('the other tenant saw nothing of all this', async () => {
  const theirs = createCaller(platform, other.api_key.value, other.tenant_id)
  const ours = await developer('GET', '/v1/payment-proxy/transactions')
  const foreign = await theirs('GET', `/v1/payment-proxy/transactions/${ours.body.data[0].id}`)
  const missing = await theirs('GET', `/v1/payment-proxy/transactions/${randomUUID()}`)
  expect(foreign.status).toBe(404)
  expect({ ...foreign.body, trace_id: '' }).toEqual({ ...missing.body, trace_id: '' })
  expect((await theirs('GET', '/v1/payment-proxy/transactions')).body.data).toEqual([])
  const deliveries = await theirs('GET', `/v1/webhooks/${acme.business_unit_id}/deliveries`)
  expect([deliveries.status, deliveries.body.code]).toEqual([404, 'business_unit_not_found'])
  expect(neighbour.received.filter((one) => parseMessage(one).tenant_id !== other.tenant_id)).toEqual([])
})

clientJourney(() => platform)

test('a deleted key is rejected by the next request, a suspended tenant too', async () => {
  expect((await admin('DELETE', `/v1/api-key/keys/${clerkKey.id}`)).status).toBe(204)
  expect((await developer('GET', '/v1/api-key/keys')).body.code).toBe('invalid_credentials')
  const theirs = createCaller(platform, other.api_key.value, other.tenant_id)
  await callPayctl(platform, 'tenant', 'suspend', other.tenant_id)
  expect((await theirs('GET', '/v1/api-key/keys')).body.code).toBe('tenant_suspended')
  await callPayctl(platform, 'tenant', 'resume', other.tenant_id)
  expect((await theirs('GET', '/v1/api-key/keys')).status).toBe(200)
})

test('no secret of all this is in a log, nor in clear in a database: neither as it is, nor in bytes', async () => {
  const values = [acme.api_key.value, other.api_key.value, clerkKey.value, ...secrets.values()]
  const forms = values.flatMap((value) => [value, Buffer.from(value).toString('hex')])
  expect(values.length).toBeGreaterThan(5)
  const logs = readLogs(platform.logDirectory)
  expect(logs.filter((log) => log.includes('"operation":"reveal')).length).toBeGreaterThan(0)
  expect(logs.filter((log) => forms.some((form) => log.includes(form)))).toEqual([])
  for (const service of services) {
    const holding = await withClient(platform.databases[service].ownerUrl, async (owner) => {
      await owner.query(`SET app.tenant_id = '*'`)
      const { rows: tables } = await owner.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
      )
      const looks = tables.map(
        ({ name }) =>
          `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM "${name}" t, unnest($1::text[]) form WHERE strpos(t::text, form) > 0)`,
      )
      return (await owner.query(looks.join(' UNION ALL '), [forms])).rows
    })
    expect([service, holding]).toEqual([service, []])
  }
})

test('the processes export every metric and label of alerts and dashboards, as promtool wants them', async () => {
  const { gateway: _, devSignIn: _provider, ...ports } = platform.ports
  const scraped = () => scrape(Object.values(ports))
  // Gauges of jobs have their labels after the first run.
  await eventually(async () => findUnexported(labelsBySample((await scraped()).join('\n'))).length === 0).catch(
    () => {},
  )
  const texts = await scraped()
  expect(findUnexported(labelsBySample(texts.join('\n')))).toEqual([])
  for (const text of texts) expect([null, '']).toContain(promtool(['check', 'metrics'], text))
})

test('no process logged an error', () => {
  const lines = readLogs(platform.logDirectory).flatMap((text) => text.split('\n'))
  const levels = lines.filter((line) => line.startsWith('{')).map((line) => ({ line, ...JSON.parse(line) }))
  expect(levels.length).toBeGreaterThan(0)
  expect(levels.filter(({ level }) => ['error', 'fatal', 50, 60].includes(level)).map(({ line }) => line)).toEqual([])
})

const payment = (unit: string, token = 'tok_sandbox_visa') => ({
  business_unit_id: unit,
  currency: 'EUR',
  amount: 1999,
  payment_details: { payment_method: 'CREDIT_CARD', cc_token: token },
})

/** The first truthy result within 30 s. */
async function eventually<T>(sendRequest: () => Promise<T>): Promise<NonNullable<T>> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const result = await sendRequest()
    if (result) return result as NonNullable<T>
    if (Date.now() > deadline) throw new Error('It did not come about within ten seconds')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
