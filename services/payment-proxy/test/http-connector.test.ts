import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from '@payments/egress/http-client'
import type { Account, WebhookRequest } from '../src/connectors/connector.ts'
import { type DeclineCode, declineCodes, declineCodesOf1 } from '../src/connectors/decline-code.ts'
import { createHttpConnector } from '../src/connectors/http/http-connector.ts'
import { parseOutcome } from '../src/connectors/http/protocol.ts'
import { challengeSuite } from './challenge-suite.ts'
import { type ConnectorFixture, payment } from './connector-payment.ts'
import { connectorSuite } from './connector-suite.ts'
import type { Ledger } from './reference-provider/ledger.ts'
import { presentOperation, startReferenceProvider } from './reference-provider/server.ts'

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

const fixture = (settings: Account['settings'] = {}): ConnectorFixture => ({
  connector: createHttpConnector(client),
  account: () => {
    const { keyId, secret, ledger } = provider.account()
    ledgers.set(keyId, ledger)
    return { ...accountAt(`${provider.url}/adapter/`, { key_id: keyId, secret }), settings }
  },
  decide: async (account, id, decision) => findLedger(account).decide(id, decision),
  effects: async (account, id) => (findLedger(account).entries.get(id)?.state === 'succeeded' ? 1 : 0),
  webhook: (account, { id }, agoMs = 0) => {
    const entry = findLedger(account).entries.get(id)
    if (entry === undefined) throw new Error(`the provider has no operation ${id}`)
    return signWebhook(account, { type: 'operation.updated', operation: presentOperation(entry) }, agoMs)
  },
})

function accountAt(gatewayUrl: string, credentials: Account['credentials']): Account {
  const ids = { tenantId: randomUUID(), businessUnitId: randomUUID(), paymentOrchestratorId: randomUUID() }
  return { ...ids, connector: 'http', mode: 'test', gatewayUrl, settings: {}, credentials, name: 'account' }
}

function findLedger({ credentials }: Account): Ledger {
  const ledger = ledgers.get(credentials['key_id'] ?? '')
  if (ledger === undefined) throw new Error('the provider has no such account')
  return ledger
}

function signWebhook({ credentials }: Account, event: unknown, agoMs = 0): WebhookRequest {
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

const suiteTokens = (codes: readonly DeclineCode[]) => ({
  success: 'tok_visa',
  declines: Object.fromEntries(codes.map((code) => [`declined_${code}`, code])),
  lost: { applied: lost('lost_applied'), not_applied: lost('lost_not_applied') },
  slow: 'slow',
})
const suiteOptions = { rejectsLateRequests: true, sendsWebhooks: true, capturesManyParts: true }
const version2 = () => fixture({ protocol_version: 2 })

describe('version 1', () => connectorSuite(suiteTokens(declineCodesOf1), () => fixture(), suiteOptions))

describe('version 2', () => {
  connectorSuite(suiteTokens(declineCodes), version2, suiteOptions)
  challengeSuite({ challenge: 'challenge', lost: 'challenge_lost' }, version2, { webhooks: 'full' })
})

describe('an adapter of version 1', () => {
  const returnUrl = 'https://shop.example.com/orders/1'
  const { signal } = new AbortController()

  test('gets neither a member nor a header that version 1 does not have, and declines', async () => {
    const before = provider.calls.length
    const outcome = await payment(fixture()).authorize('challenge', signal, returnUrl)
    expect(outcome).toMatchObject({ kind: 'declined', declineCode: 'authentication_required' })
    const [call] = provider.calls.slice(before)
    expect(call?.headers).not.toHaveProperty('connector-protocol-version')
    expect(Object.keys(JSON.parse(call?.body ?? '{}')).sort()).toEqual(
      [
        ...['amount', 'authorization_id', 'authorization_reference', 'currency', 'operation_id'],
        ...['payment_method', 'token', 'type'],
      ].sort(),
    )
  })

  const id = randomUUID()
  const action = { type: 'redirect', url: 'https://bank.example.com/', expires_at: '2026-11-29T10:00:00.000Z' }
  const decline = { code: 'authentication_failed', retryable: false, provider_code: null }
  const authentication = { version: '2.2.0', result: 'authenticated', eci: '05', transaction_id: 'a' }
  const succeeded = { state: 'succeeded', reference: 'r', amount: 1, currency: 'EUR' }
  const read = (members: object, version: 1 | 2) => parseOutcome({ operation_id: id, ...members }, id, version)

  test('has no outcome for action_required, which version 2 has', () => {
    const members = { state: 'action_required', reference: 'r', action }
    expect(() => read(members, 1)).toThrow()
    expect(read(members, 2).kind).toBe('action_required')
  })

  test('has the outcome without the parts that version 2 has', () => {
    const declined = { state: 'declined', reference: 'r', decline }
    expect(read(declined, 1)).toMatchObject({ declineCode: 'card_declined', providerCode: 'authentication_failed' })
    expect(read(declined, 2)).toMatchObject({ declineCode: 'authentication_failed', providerCode: null })
    expect(read({ ...succeeded, authentication }, 1)).not.toHaveProperty('authentication')
    expect(read({ ...succeeded, authentication }, 2)).toMatchObject({ authentication })
  })

  test('of an orchestrator that went back to version 1, a cancellation has version 2', async () => {
    const paying = payment(version2())
    await paying.authorize('challenge', signal, returnUrl)
    const before = provider.calls.length
    Object.assign(paying.account, { settings: {} })
    await expect(paying.read()).rejects.toThrow()
    expect(await paying.cancel('expired')).toMatchObject({ declineCode: 'authentication_expired' })
    expect(provider.calls[before + 1]?.headers['connector-protocol-version']).toBe('2')
  })
})

test('requests of version 2 name it, and send the address to return to', async () => {
  const before = provider.calls.length
  const paying = payment(version2())
  await paying.authorize('tok_visa')
  await paying.capture(10_000)
  await paying.read()
  const calls = provider.calls.slice(before)
  expect(calls.map(({ headers }) => headers['connector-protocol-version'])).toEqual(['2', '2', '2'])
  expect(calls.map(({ body }) => (body === '' ? null : JSON.parse(body).return_url))).toEqual([null, undefined, null])
})

test.each(['unauthorized_cancel', 'lost_cancel', 'busy_cancel'])(
  'a cancellation that the adapter rejects has no outcome: %s',
  async (token) => {
    const paying = payment(version2())
    expect((await paying.authorize(token, new AbortController().signal, 'https://shop.example.com/')).kind).toBe(
      'action_required',
    )
    await expect(paying.cancel('expired')).rejects.toThrow()
    expect((await paying.read()).kind).toBe('action_required')
  },
)

describe('there is no outcome, and the operation is not repeated, after a response', () => {
  test.each(['error', 'garbage', 'other_operation', 'redirect', 'long', 'invalid'])('%s', async (token) => {
    const paying = payment(fixture())
    const before = provider.calls.length
    await expect(paying.authorize(token)).rejects.toThrow()
    expect(provider.calls.length).toBe(before + 1)
  })
})

test('has the outcome of a response with a member that the protocol does not name', async () => {
  expect((await payment(fixture()).authorize('extra')).kind).toBe('succeeded')
})

test('reports the amount that the adapter reports, for the host to compare', async () => {
  expect(await payment(fixture()).authorize('other_amount')).toMatchObject({ kind: 'succeeded', amount: 10_001 })
})

test.each(['unauthorized', 'busy', 'unauthorized_page', 'busy_page'])(
  'an operation that the adapter, or a proxy before it, rejected unread is not attempted: %s',
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
  expect(findLedger(account).entries.size).toBe(0)
})

test('a pending operation succeeds at a later sync', async () => {
  const paying = payment(fixture())
  expect((await paying.authorize('pending')).kind).toBe('pending')
  expect(await paying.sync('authorize', paying.authorizationId, 10_000)).toMatchObject({ kind: 'succeeded' })
})

test('ignores genuine events of other types, and rejects a body that is no event', () => {
  const { connector, account } = fixture()
  const owned = account()
  const read = (event: unknown) => connector.parseWebhook?.(owned, signWebhook(owned, event)).kind
  expect(read({ type: 'payout.created', payout: {} })).toBe('ignored')
  expect(read({ type: 'operation.updated', operation: { state: 'succeeded' } })).toBe('rejected')
  expect(read('text')).toBe('rejected')
})
