import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from '@payments/egress/http-client'
import type { Account, WebhookRequest } from '../src/connectors/connector.ts'
import { declineCodes } from '../src/connectors/decline-code.ts'
import { createHttpConnector } from '../src/connectors/http/http-connector.ts'
import { outcomeOf } from '../src/connectors/http/protocol.ts'
import { type ConnectorFixture, connectorSuite, payment } from './connector-suite.ts'
import type { Ledger } from './reference-provider/ledger.ts'
import { operationOf, startReferenceProvider } from './reference-provider/server.ts'

let provider: Awaited<ReturnType<typeof startReferenceProvider>>
let client: HttpClient
const ledgers = new Map<string, Ledger>()
beforeAll(async () => {
  provider = await startReferenceProvider()
  client = createHttpClient({ allowPrivate: true })
})
afterAll(async () => {
  client.close()
  await provider.close()
})

const fixture = (): ConnectorFixture => ({
  connector: createHttpConnector(client),
  account: () => {
    const { keyId, secret, ledger } = provider.account()
    ledgers.set(keyId, ledger)
    return accountAt(`${provider.url}/adapter/`, { key_id: keyId, secret })
  },
  effects: async (account, id) => (ledgerOf(account).entries.get(id)?.state === 'succeeded' ? 1 : 0),
  webhook: (account, { id }, agoMs = 0) => {
    const entry = ledgerOf(account).entries.get(id)
    if (entry === undefined) throw new Error(`the provider has no operation ${id}`)
    return webhookOf(account, { type: 'operation.updated', operation: operationOf(entry) }, agoMs)
  },
})

function accountAt(gatewayUrl: string, credentials: Account['credentials']): Account {
  const ids = { tenantId: randomUUID(), businessUnitId: randomUUID(), paymentOrchestratorId: randomUUID() }
  return { ...ids, connector: 'http', mode: 'test', gatewayUrl, settings: {}, credentials }
}

function ledgerOf({ credentials }: Account): Ledger {
  const ledger = ledgers.get(credentials['key_id'] ?? '')
  if (ledger === undefined) throw new Error('the provider has no such account')
  return ledger
}

function webhookOf({ credentials }: Account, event: unknown, agoMs = 0): WebhookRequest {
  const [id, body] = [`evt_${randomUUID()}`, Buffer.from(JSON.stringify(event))]
  const timestamp = String(Math.floor((Date.now() - agoMs) / 1000))
  const signature = createHmac('sha256', credentials['secret'] ?? '')
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,AAAA v1,${signature}` }
  return { headers, body, receivedAt: new Date() }
}

const lost = (fault: string) => ({ authorize: fault, capture: `capture_${fault}`, refund: `refund_${fault}` })

connectorSuite(
  {
    success: 'tok_visa',
    declines: Object.fromEntries(declineCodes.map((code) => [`declined_${code}`, code])),
    lost: { applied: lost('lost_applied'), not_applied: lost('lost_not_applied') },
    slow: 'slow',
  },
  fixture,
  { rejectsLateRequests: true, sendsWebhooks: true },
)

describe('there is no outcome, and the operation is not repeated, after a response', () => {
  test.each(['error', 'garbage', 'extra', 'other_operation', 'redirect', 'long', 'invalid'])('%s', async (token) => {
    const paying = payment(fixture())
    const before = provider.calls.length
    await expect(paying.authorize(token)).rejects.toThrow()
    expect(provider.calls.length).toBe(before + 1)
  })
})

test.each(['\u0000', 'ch\n', '\ud800', ''])('a text that cannot be stored is no outcome: %j', (text) => {
  const id = randomUUID()
  const succeeded = { operation_id: id, state: 'succeeded', reference: 'ch_1', amount: 1, currency: 'EUR' }
  const declined = { operation_id: id, state: 'declined', reference: null }
  const decline = { code: 'card_declined', retryable: false, provider_code: text }
  const payment_method = { type: 'CREDIT_CARD', brand: text, last4: '4242' }
  expect(outcomeOf({ ...succeeded, payment_method: { ...payment_method, brand: 'visa' } }, id).kind).toBe('succeeded')
  expect(() => outcomeOf({ ...succeeded, reference: text }, id)).toThrow()
  expect(() => outcomeOf({ ...succeeded, payment_method }, id)).toThrow()
  expect(() => outcomeOf({ ...declined, decline }, id)).toThrow()
})

test('reports the amount that the adapter reports, for the host to compare', async () => {
  expect(await payment(fixture()).authorize('other_amount')).toMatchObject({ kind: 'succeeded', amount: 10_001 })
})

test.each(['unauthorized', 'busy'])(
  'an operation that the adapter rejected unread is not attempted: %s',
  async (token) => {
    expect((await payment(fixture()).authorize(token)).kind).toBe('not_attempted')
  },
)

test('a 429 is no proof when the request was sent twice', async () => {
  const before = payment(fixture())
  await before.authorize('tok_visa')
  await expect(payment(fixture()).authorize('lost_then_busy')).rejects.toThrow('may have received the request before')
})

test('an operation is not attempted when the adapter cannot be reached, and its sync has no outcome', async () => {
  const unreachable = {
    ...fixture(),
    account: () => accountAt('http://127.0.0.1:1/', { key_id: 'k', secret: 's'.repeat(32) }),
  }
  const paying = payment(unreachable)
  expect((await paying.authorize('tok_visa')).kind).toBe('not_attempted')
  await expect(paying.sync('authorize', paying.authorizationId, 10_000)).rejects.toThrow('was not sent')
})

test('a private address is not called where private destinations are not allowed', async () => {
  const strict = createHttpClient({ allowPrivate: false, lookup: async () => ['127.0.0.1'] })
  const { secret, key_id } = fixture().account().credentials
  const account = () => accountAt('https://adapter.acme.com/', { secret: secret ?? '', key_id: key_id ?? '' })
  const before = provider.calls.length
  const paying = payment({ ...fixture(), connector: createHttpConnector(strict), account })
  expect(await paying.authorize('tok_visa')).toMatchObject({ kind: 'not_attempted' })
  expect(provider.calls.length).toBe(before)
  strict.close()
})

test('signs method, path with query, and body, so that the adapter rejects another secret', async () => {
  const account = fixture().account()
  const forged = { ...account, credentials: { ...account.credentials, secret: 'x'.repeat(32) } }
  const paying = payment({ ...fixture(), account: () => forged })
  expect(await paying.authorize('tok_visa')).toMatchObject({ kind: 'not_attempted' })
  expect(ledgerOf(account).entries.size).toBe(0)
})

test('a pending operation succeeds at a later sync', async () => {
  const paying = payment(fixture())
  expect((await paying.authorize('pending')).kind).toBe('pending')
  expect(await paying.sync('authorize', paying.authorizationId, 10_000)).toMatchObject({ kind: 'succeeded' })
})

test('ignores genuine events of other types, and rejects a body that is no event', () => {
  const { connector, account } = fixture()
  const owned = account()
  const read = (event: unknown) => connector.parseWebhook?.(owned, webhookOf(owned, event)).kind
  expect(read({ type: 'payout.created', payout: {} })).toBe('ignored')
  expect(read({ type: 'operation.updated', operation: { state: 'succeeded' } })).toBe('rejected')
  expect(read('text')).toBe('rejected')
})
