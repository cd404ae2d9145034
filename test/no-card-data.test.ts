/** @slow It reads every table, queue and log after a journey. */
import { createHmac, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import { services, withClient } from '@payments/devkit/servers/databases'
import { domainEvents } from '@payments/messaging/broker/topology'
import { type ExchangeTap, tapExchange } from '@payments/testing/broker/exchange-tap'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'
import { until } from './until.ts'

/**
 * A tenant sends card numbers to every endpoint that has a body, in every place of the body, and as Idempotency-Key,
 * and a provider sends them. None is stored, queued or logged. The marker shows that the search finds what is stored.
 */
const cards = [
  ...['4111111111111111', '5500 0000 0000 0004', '3782-822463-10005'],
  ...[
    '4111\u00a01111\u00a01111\u00a01111',
    '5500\n0000\n0000\n0004',
    '\n4111111111111111',
    '5500\u20130000\u20130000\u20130004',
  ],
  ...[
    '4111\u20091111\u20091111\u20091111',
    '5500.0000.0000.0004',
    '4111/1111/1111/1111',
    '\uff14' + '\uff11'.repeat(15),
  ],
]
/** Without separators and escapes, these reach the gateway as part of a target or a header. */
const asciiCards = ['4111111111111111', '3782-822463-10005', '5500.0000.0000.0004']
const marker = 'marker-4111-2222'
const platform = sharedPlatform()
let tap: ExchangeTap
let acme: Onboarded
let call: Call

beforeAll(async () => {
  acme = await onboard(platform, 'Acme')
  call = createCaller(platform, acme.api_key.value, acme.tenant_id)
  tap = await tapExchange(platform.amqpUrl, domainEvents(platform.messagingPrefix))
}, 180_000)

afterAll(() => tap?.close())

const places = contracts.flatMap(({ service, endpoints }) =>
  Object.entries(endpoints)
    .filter(([, { audience, body }]) => audience === 'tenant' && body !== undefined)
    .map(([operation, { method, path, body, example }]) => {
      const target = path.replaceAll('{business_unit_id}', 'unit').replaceAll(/\{\w+\}/g, () => randomUUID())
      const given = example ?? body?.meta()?.['examples'] ?? {}
      return [`${service} ${operation}`, { method, target, given: Array.isArray(given) ? given[0] : given }] as const
    }),
)

/** The value with the card in place of each of its leaves, beside a new member, and as the name of one. */
function* polluted(value: unknown, card: string): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) for (const other of polluted(one, card)) yield value.with(index, other)
    yield [...value, `card ${card}`]
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      for (const other of polluted(one, card)) yield { ...value, [name]: other }
    }
    yield { ...value, metadata: { [card]: { note: [`card: ${card}.`] } } }
  } else {
    yield card
    if (/^\d+$/.test(card)) yield Number(card)
  }
}

test.each(places)('%s rejects a card number in every place', async (_name, { method, target, given }) => {
  const path = target.replace('/unit', `/${acme.business_unit_id}`)
  const bodies = cards.flatMap((card) => [...polluted(given, card)])
  expect(bodies.length).toBeGreaterThanOrEqual(cards.length)
  for (const body of bodies) {
    const reply = await call(method, path, body)
    expect([JSON.stringify(body), reply.status, reply.body.code]).toEqual([
      JSON.stringify(body),
      400,
      'raw_card_data_not_allowed',
    ])
    expect(holds(JSON.stringify(reply.body))).toBe(false)
  }
})

test('a card number is no Idempotency-Key', async () => {
  const body = { business_unit_id: acme.business_unit_id, currency: 'EUR', amount: 1_999, metadata: { note: marker } }
  for (const card of asciiCards) {
    const reply = await call('POST', '/v1/payment-proxy/transactions', body, { 'idempotency-key': card })
    expect([reply.status, reply.body.code]).toEqual([400, 'raw_card_data_not_allowed'])
  }
  expect((await call('POST', '/v1/payment-proxy/transactions', body, { 'idempotency-key': marker })).status).toBe(201)
})

test('a card number in a path, a query or the User-Agent is not recorded', async () => {
  for (const card of asciiCards) {
    const missing = await call('GET', `/v1/payment-proxy/transactions/${card}`, undefined, { 'user-agent': card })
    expect(missing.status).toBeGreaterThanOrEqual(400)
    const query = await call('GET', `/v1/payment-proxy/transactions?business_unit_id=${encodeURIComponent(card)}`)
    expect([query.status, query.body.code]).toEqual([400, 'raw_card_data_not_allowed'])
    expect((await fetch(`${platform.gatewayUrl}/nowhere/${card}`)).status).toBe(404)
  }
})

test('a card number in a form of a payer is rejected', async () => {
  for (const card of cards) {
    const body = new URLSearchParams({ nonce: 'x', cc_token: card })
    const reply = await fetch(`${platform.gatewayUrl}/pay/unknown`, { method: 'POST', body, redirect: 'manual' })
    expect(reply.status).toBe(400)
  }
})

test('the webhook of a provider is taken without its card numbers, except for its identifier', async () => {
  const secret = 'secret-of-the-provider-that-is-long-enough'
  const path = `/v1/business-unit/business-units/${acme.business_unit_id}/payment-orchestrators`
  const orchestrator = await call('POST', path, {
    name: 'Provider',
    payment_gateway: 'http',
    mode: 'test',
    gateway_url: 'https://provider.example/v1',
    gateway_authentication: { key_id: 'key', secret },
  })
  expect([orchestrator.status, orchestrator.body.code]).toEqual([201, undefined])
  const url = `${platform.gatewayUrl}/v1/payment-proxy/gateway-webhooks/${orchestrator.body.id}`
  const send = async (reference: string, id: string = randomUUID()) => {
    const operation = { operation_id: randomUUID(), state: 'pending', reference }
    const body = JSON.stringify({ type: 'operation.updated', operation })
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
    const signed = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
    const reply = await fetch(url, { method: 'POST', body, headers: { ...signed, 'content-type': 'application/json' } })
    return [reply.status, ((await reply.json()) as { code?: string }).code]
  }
  await until('copy of the orchestrator in payment-proxy', async () => (await send('pspr_1'))[0] !== 404)
  for (const card of cards) expect(await send(card)).toEqual([200, undefined])
  for (const card of asciiCards) expect(await send('pspr_1', card)).toEqual([400, 'invalid_provider_webhook'])
})

test('no database, message, log or file of audit records has a card number', async () => {
  await until('the event of the payment', async () => tap.messages.some((message) => message.includes(marker)))
  expect(tap.messages.filter(holds)).toEqual([])
  const files = filesIn(dirname(platform.logDirectory))
  expect(files.length).toBeGreaterThan(services.length)
  expect(files.filter((file) => holds(readFileSync(file, 'utf8')))).toEqual([])
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('raw_card_data_not_allowed'))).not.toEqual([])
  const stored: string[] = []
  for (const service of services) stored.push(...(await listRows(platform.databases[service].ownerUrl)))
  expect(stored.filter(holds)).toEqual([])
  expect(stored.filter((row) => row.includes(marker))).not.toEqual([])
})

const readDigits = (card: string) => card.normalize('NFKC').replaceAll(/\D/g, '')

/** Whether the text has one of the cards, with any separators between its digits, or its bytes in hexadecimal. */
function holds(text: string): boolean {
  const joined = text
    .normalize('NFKC')
    .replaceAll(/(?<=\d)[^\p{L}\p{N}\\"]{1,3}(?=\d)/gu, '')
    .replaceAll(/(?<=\d)\\n(?=\d)/g, '')
  return cards.some((card) => joined.includes(readDigits(card)) || text.includes(Buffer.from(card).toString('hex')))
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
}

/** Every row of every table, as text. */
function listRows(ownerUrl: string): Promise<string[]> {
  return withClient(ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rows: tables } = await owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    )
    const stored = tables.map(({ name }) => `SELECT t::text AS row FROM "${name}" t`)
    const { rows } = await owner.query<{ row: string }>(stored.join(' UNION ALL '))
    return rows.map(({ row }) => row)
  })
}
