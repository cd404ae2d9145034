/** @slow It starts its own platform. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createLog } from '@payments/chassis/observability/log'
import { withClient } from '@payments/devkit/servers/databases'
import { openBroker } from '@payments/messaging/broker/broker'
import { named } from '@payments/messaging/broker/topology'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'
import { until } from './until.ts'

/** The personal data of a payer in a whole platform: exported, erased while a service is down, and left to expire. */
let platform: TestStack
let webhook: Receiver
let tenant: Onboarded
let stranger: Onboarded

beforeAll(async () => {
  platform = await startTestStack({ env: { WEBHOOKS_RETRY_SCHEDULE: '0s,30s' } })
  webhook = await receiver()
  ;[tenant, stranger] = [await onboard(platform, 'Acme'), await onboard(platform, 'Beta')]
}, 300_000)
afterAll(async () => {
  await webhook?.close()
  await platform?.stop()
}, 120_000)

const canary = `canary.${randomUUID()}@example.com`
const right = `right.${randomUUID()}@example.com`
const other = `other.${randomUUID()}@example.com`

/** The work begins a minute after the request. */
const erasureMs = 150_000
/** They expire within 31 days (docs/personal-data.md). */
const copies = /\.(outbox_events|idempotency_keys|outbox_messages|events|deliveries|attempts)\./

const payer = (verb: string, ...args: string[]) => platform.payctl('payer', verb, ...args)
const ofPayer = ['--recipient', canary.toUpperCase(), '--json']
const inTenant = (owner: Onboarded) => ['--tenant', owner.tenant_id, ...ofPayer]

/** A payment of a customer, a code, and a message to the same person. */
async function pay(owner: Onboarded, email: string): Promise<{ transactionId: string; codeId: string }> {
  const call: Call = createCaller(platform, owner.api_key.value, owner.tenant_id)
  const order = { business_unit_id: owner.business_unit_id, currency: 'EUR' }
  const items = { transaction_items: [{ name: 'Coffee', unit_amount: 1999, quantity: 2 }] }
  const key = () => ({ 'idempotency-key': randomUUID() })
  const paid = await call(
    'POST',
    '/v1/payment-proxy/transactions/authorize',
    {
      ...order,
      transaction: items,
      capture: true,
      customer_details: { name: 'Ada Byron', email },
      payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
    },
    key(),
  )
  const code = await call(
    'POST',
    '/v1/invite-to-pay/codes',
    {
      transaction: { ...order, transaction: items, customer_details: { name: 'Ada Byron', email } },
      communication_type: 'EMAIL',
      recipient: email,
      communication_details: { payer_name: 'Ada Byron' },
    },
    key(),
  )
  const sent = await call(
    'POST',
    '/v1/communication/communications',
    {
      business_unit_id: owner.business_unit_id,
      communication_type: 'EMAIL',
      recipient: email,
      subject: 'Hi',
      text: 'Ada Byron',
    },
    key(),
  )
  expect([paid.status, code.status, sent.status]).toEqual([201, 201, 202])
  await until('two sent messages', async () => {
    const { body } = await call(
      'GET',
      `/v1/communication/communications?recipient=${encodeURIComponent(email)}&status=sent`,
    )
    return body.data.length === 2
  })
  return { transactionId: paid.body.id, codeId: code.body.id }
}

/** A code whose recipient was the payer until the tenant corrected it. Returns its id. */
async function correct(call: Call): Promise<string> {
  const transaction = { business_unit_id: tenant.business_unit_id, currency: 'EUR', amount: 500 }
  const draft = { transaction, communication_type: 'EMAIL', recipient: canary }
  const { body: code } = await call('POST', '/v1/invite-to-pay/codes', draft, { 'idempotency-key': randomUUID() })
  await until('the mail to the wrong address', async () => {
    const { body } = await call('GET', `/v1/invite-to-pay/codes/${code.id}`)
    return body.last_sent_at !== null
  })
  const changed = await call('PATCH', `/v1/invite-to-pay/codes/${code.id}`, { recipient: right })
  expect(changed.status).toBe(200)
  return code.id
}

/** The tables of every service in which a row names the text, also in bytes: of a tenant, or of all. Without copies. */
async function tablesWith(text: string, tenantId: string | null = null): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(platform.databases).map(([service, { ownerUrl }]) =>
      withClient(ownerUrl, async (client) => {
        await client.query(`SET app.tenant_id = '*'`)
        const columns = await client.query<{ table: string; column: string; type: string }>(
          `SELECT c.table_name AS table, c.column_name AS column, c.data_type AS type
           FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
           WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
             AND c.data_type IN ('text', 'json', 'jsonb', 'uuid', 'ARRAY', 'bytea', 'character varying')`,
        )
        const names: string[] = []
        for (const { table, column, type } of columns.rows) {
          if (type === 'uuid') continue
          const value =
            type === 'bytea'
              ? `strpos(encode("${column}", 'hex'), encode(convert_to($1, 'UTF8'), 'hex'))`
              : `strpos(lower("${column}"::text), lower($1))`
          const hasTenant = columns.rows.some((one) => one.table === table && one.column === 'tenant_id')
          const ofTenant = hasTenant ? '($2::uuid IS NULL OR tenant_id = $2::uuid)' : '($2::uuid IS NULL OR true)'
          const { rowCount } = await client.query(
            `SELECT 1 FROM "${table}" WHERE ${value} > 0 AND ${ofTenant} LIMIT 1`,
            [text, tenantId],
          )
          if (rowCount !== 0) names.push(`${service}.${table}.${column}`)
        }
        return names
      }),
    ),
  )
  // A partition is a table besides the table of all its rows.
  const names = new Set(found.flat().map((name) => name.replace(/_(\d{8}|default)\./, '.')))
  return [...names].filter((name) => !copies.test(name)).sort()
}

/** From the database: a process of payctl for each look takes much time. */
const servicesThatErased = (erasureId: string): Promise<number> =>
  withClient(platform.databases.communication.ownerUrl, async (client) => {
    await client.query(`SET app.tenant_id = '*'`)
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM payer_erasure_requests, jsonb_array_elements(services) AS one
       WHERE id = $1::uuid AND one->>'completed_at' IS NOT NULL`,
      [erasureId],
    )
    return rows[0]?.count ?? 0
  })

const readErasure = async (id: string) => JSON.parse((await payer('erasure', id, '--json')).stdout)

/** Waits for the end of an erasure. */
async function untilCompleted(id: string) {
  await until('complete erasure', async () => (await servicesThatErased(id)) === 3, erasureMs)
  return readErasure(id)
}

test('exports and erases a payer, also while a service is down, and leaves books and audit chain intact', async () => {
  const call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  await call('POST', `/v1/webhooks/${tenant.business_unit_id}/webhooks`, { destination_url: `${webhook.url}/hook` })
  let isFailing = true
  webhook.respondWith(({ body }) => (isFailing ? { status: 500, body: body.toString() } : { status: 204 }))
  const { transactionId, codeId } = await pay(tenant, canary)
  const corrected = await correct(call)
  const others = await pay(tenant, other)
  await pay(stranger, canary)
  await until('six deliveries that failed', async () => {
    const { body } = await call('GET', `/v1/webhooks/${tenant.business_unit_id}/deliveries?status=retrying`)
    return body.data.length >= 6
  })

  const exported = await payer('export', ...inTenant(tenant))
  const stored = JSON.parse(exported.stdout)
  expect(stored.transactions.map(({ id }: { id: string }) => id)).toContain(transactionId)
  expect([stored.transactions.length, stored.codes.length, stored.messages.length]).toEqual([3, 1, 3])
  expect(stored.codes).toMatchObject([{ id: codeId, recipient: canary }])
  expect(exported.stdout).not.toContain(other)
  // The message has the link to pay, and the export has it without its code.
  expect([/\/pay\/…/.test(exported.stdout), /\/pay\/[\w-]/.test(exported.stdout)]).toEqual([true, false])
  const before = await call('GET', `/v1/payment-proxy/transactions/${transactionId}`)

  await platform.kill('invite-to-pay')
  const partial = await payer('export', ...inTenant(tenant))
  expect([partial.code, partial.stdout]).toEqual([1, ''])
  expect(partial.output).toContain('payctl: invite-to-pay: ')
  const started = await payer('erase', ...inTenant(tenant), '--yes', '--no-wait', '--reason', 'request by letter')
  const { id } = JSON.parse(started.stdout)
  await until('erasure in two services', async () => (await servicesThatErased(id)) === 2, erasureMs)
  expect(await readErasure(id)).toMatchObject({
    completed_at: null,
    copies_until: null,
    services: [
      { service: 'payment-proxy', completed_at: expect.any(String) },
      { service: 'invite-to-pay', completed_at: null },
      { service: 'communication', completed_at: expect.any(String) },
    ],
  })

  await platform.restart('invite-to-pay')
  const { copies_until: copiesUntil, ...ended } = await untilCompleted(id)
  expect(ended).toMatchObject({ tenant_id: tenant.tenant_id, reason: 'request by letter' })
  expect(Date.parse(copiesUntil) - Date.parse(ended.completed_at)).toBe(31 * 24 * 60 * 60_000)
  expect(await tablesWith(canary, tenant.tenant_id)).toEqual([])
  expect(await tablesWith(canary)).toContain('communication.communications.recipient')

  expect((await call('GET', `/v1/invite-to-pay/codes/${codeId}`)).body).toMatchObject({ status: 'canceled' })
  const { body: stays } = await call('GET', `/v1/invite-to-pay/codes/${corrected}`)
  expect(stays).toMatchObject({ status: 'active', recipient: right })
  const after = await call('GET', `/v1/payment-proxy/transactions/${transactionId}`)
  expect(after.body).toEqual({ ...before.body, customer_details: null })
  expect((await call('GET', `/v1/payment-proxy/transactions/${others.transactionId}`)).body.customer_details).toEqual({
    name: 'Ada Byron',
    email: other,
  })
  isFailing = false
  const own = JSON.parse((await payer('export', ...inTenant(tenant))).stdout)
  expect([own.transactions, own.codes, own.messages]).toEqual([[], [], []])

  const requests = [stranger, tenant].map(async (owner) =>
    JSON.parse((await payer('erase', ...inTenant(owner), '--yes', '--no-wait')).stdout),
  )
  const [theirs, again] = await Promise.all((await Promise.all(requests)).map((one) => untilCompleted(one.id)))
  expect([theirs.completed_at, await tablesWith(canary)]).toEqual([expect.any(String), []])
  expect(await tablesWith(other)).toContain('payment-proxy.transactions.customer_details')
  const verified = await platform.payctl('audit', 'verify', '--tenant', tenant.tenant_id)
  expect([verified.code, verified.output]).toEqual([0, expect.not.stringContaining(canary)])
  expect(again).toMatchObject({ completed_at: expect.any(String) })
  expect(again.services.every(({ resources }: { resources: number }) => resources === 0)).toBe(true)
}, 300_000)

/** Discards a message from the queue of invite-to-pay, which is down. */
async function loseRequest(): Promise<void> {
  const log = createLog('test', 'silent')
  const { amqpUrl: url, messagingPrefix: prefix } = platform
  const broker = await openBroker({ url, prefix, name: 'test', topology: [], log })
  await until('broker', async () => broker.consuming.ready().ready)
  const channel = await broker.consuming.openChannel()
  const queue = named(prefix, 'invite-to-pay.payer-erasures')
  await until('lost request', async () => (await channel.purgeQueue(queue)).messageCount === 1)
  await broker.close()
}

test('a request that a service lost is sent again by the id of its erasure, for the same payer only', async () => {
  const of = (recipient: string) => ['--tenant', tenant.tenant_id, '--recipient', recipient, '--yes', '--json']
  const lost = `lost.${randomUUID()}@example.com`
  await platform.kill('invite-to-pay')
  const { id } = JSON.parse((await payer('erase', ...of(lost), '--no-wait')).stdout)
  await loseRequest()
  await platform.restart('invite-to-pay')
  const again = (recipient: string, erasure: string, ...options: string[]) =>
    payer('erase', ...of(recipient), '--erasure', erasure, ...options)
  const [wrong, unknown] = [await again(other, id), await again(lost, randomUUID())]
  expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining('payer_erasure_of_another_payer')])
  expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('payer_erasure_not_found')])
  await again(lost, id, '--no-wait')
  await untilCompleted(id)
  const repeated = await again(lost, id)
  expect(JSON.parse(repeated.stdout)).toMatchObject({ id, completed_at: expect.any(String) })
}, 240_000)

test('exports a payer with many transactions of the largest size', async () => {
  const large = `large.${randomUUID()}@example.com`
  const { transactionId } = await pay(tenant, large)
  await withClient(platform.databases['payment-proxy'].ownerUrl, async (client) => {
    await client.query(`SET app.tenant_id = '*'`)
    await client.query(
      `INSERT INTO transactions SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
         'external_reference', null, 'metadata', jsonb_build_object('note', repeat('x', 250000))))).*
       FROM transactions t, generate_series(1, 40) WHERE t.id = $1::uuid`,
      [transactionId],
    )
  })
  expect((await payer('export', '--tenant', tenant.tenant_id, '--recipient', large, '--json')).code).toBe(0)
})

test('an unknown tenant is an error, and begins nothing', async () => {
  const unknown = ['--tenant', randomUUID(), '--recipient', 'a@example.com', '--json']
  for (const command of [
    ['erase', ...unknown, '--yes'],
    ['export', ...unknown],
  ]) {
    const { code, output } = await payer(command[0] ?? '', ...command.slice(1))
    expect([code, output]).toEqual([1, expect.stringContaining('tenant_not_found')])
  }
  const listed = await payer('erasures', '--json')
  expect(JSON.parse(listed.stdout).some(({ tenant_id }: { tenant_id: string }) => tenant_id === unknown[1])).toBe(false)
})
