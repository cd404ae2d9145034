import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from '@payments/egress/http-client'
import { hostileHeaders, hostileTexts } from '@payments/testing/generators/hostile-text'
import { slowWorks } from '@payments/testing/runner/held-time'
import type { Account, Command, Connector, WebhookRequest } from '../src/connectors/connector.ts'
import { createHttpConnector } from '../src/connectors/http/http-connector.ts'
import { cleanEvent, cleanOutcome } from '../src/connectors/provider-text.ts'
import { hmacSha256 } from '../src/connectors/signature.ts'
import { createStripeConnector } from '../src/connectors/stripe/stripe-connector.ts'
import { httpServer } from './http-server.ts'

/** A provider whose every response is the one that the test sets. */
interface GivenResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

let response: GivenResponse
let provider: Awaited<ReturnType<typeof httpServer>>
let requests = 0
let client: HttpClient
beforeAll(async () => {
  provider = await httpServer(() => (written) => {
    requests += 1
    written.writeHead(response.status, response.headers).end(response.body)
  })
  client = createHttpClient({ allowPrivate: true })
})
afterAll(async () => {
  client.close()
  await provider.close()
})

const secret = 'a secret of the payment orchestrator'
/** With as many slashes as fit beside the path of a request. */
const account = (connector: 'http' | 'stripe'): Account => ({
  tenantId: randomUUID(),
  businessUnitId: randomUUID(),
  paymentOrchestratorId: randomUUID(),
  connector,
  mode: 'test',
  gatewayUrl: `${provider.url}${'/'.repeat(1_700)}a`,
  settings: { protocol_version: 2 },
  credentials: { key_id: 'k', secret, secret_key: 'sk_test_1', webhook_secret: secret },
  name: 'account',
})

const unused = new AbortController().signal
const operationId = randomUUID()

function commandOf(given: Account): Command {
  const ids = { operationId, authorizationId: operationId }
  const references = { authorizationReference: 'pi_1', providerReference: 'pi_1' }
  return { account: given, startedAt: new Date(), ...ids, ...references, amount: 100, currency: 'EUR' }
}

/** Every call of a provider, whatever becomes of it. */
async function callAll(connector: Connector, given: Account): Promise<void> {
  const command = commandOf(given)
  const window = { from: new Date(0), to: new Date(), cursor: null }
  const calls = [
    async () =>
      cleanOutcome(
        await connector.authorize({ ...command, token: 'pm_1', paymentMethod: 'CREDIT_CARD', returnUrl: null }, unused),
      ),
    async () => cleanOutcome(await connector.sync({ ...command, type: 'refund' }, unused)),
    async () => cleanOutcome(await connector.cancel({ ...command, reason: 'requested' }, unused)),
    async () => connector.check(given, unused),
    async () => connector.listOperations?.(given, window, unused),
  ]
  for (const call of calls) await call().catch((error: unknown) => String(error))
}

const responseMax = 60_000

/** Responses of both protocols in which each text that the protocol does not bound is the given one. */
function bodiesWith(text: string): unknown[] {
  const error = { type: text, code: text, decline_code: text }
  const decline = { code: text, retryable: true, provider_code: text }
  const card = { brand: text, three_d_secure: { version: text, electronic_commerce_indicator: text } }
  const intent = {
    ...{ id: 'pi_1', object: 'payment_intent', status: 'requires_capture', amount: 100, amount_capturable: 100 },
    ...{ amount_received: 0, currency: 'eur', created: 1, cancellation_reason: text, last_payment_error: error },
    metadata: { operation_id: operationId, [text.slice(0, 1_000)]: text },
    latest_charge: { id: text, payment_method_details: { card } },
  }
  const authentication = { version: text, result: 'authenticated', eci: text, transaction_id: text }
  const operation = { operation_id: operationId, reference: text, authentication }
  return [
    text,
    { error },
    intent,
    { ...operation, state: 'declined', decline },
    { ...operation, state: 'succeeded', amount: 100, currency: 'EUR', payment_method: { type: 'ACH', brand: text } },
    { ...operation, state: 'action_required', action: { type: 'redirect', url: text, expires_at: text } },
    { operations: [{ ...operation, type: text, state: text, received_at: text, currency: text }], next: text },
    { code: text },
  ]
}

const manyValues = (count: number) =>
  ['{}', '[]', '0', 'null', '{"a":{}}'].flatMap((item) => {
    const list = `[${`${item},`.repeat(count / (item.length + 1) - 1)}${item}]`
    return [`{"operations":${list},"next":null}`, `{"data":${list},"has_more":false}`, `{"metadata":${list}}`, list]
  })

const connectors = () =>
  [
    [createHttpConnector(client), account('http')],
    [createStripeConnector(client), account('stripe')],
  ] as const

test('no response of a provider holds the event loop for long', async () => {
  const texts = hostileTexts(4_000).flatMap(([name, text]) =>
    bodiesWith(text).map((body, number) => [`${name} in body ${number}`, JSON.stringify(body)] as const),
  )
  const values = manyValues(responseMax).map((body) => [`many values: ${body.slice(0, 30)}`, body] as const)
  requests = 0
  const works = [...texts, ...values].flatMap(([what, body]) =>
    connectors().map(([connector, given]): [string, () => Promise<void>] => [
      `${connector.type}: ${what}`,
      () => {
        response = { status: 200, headers: { 'content-type': 'application/json' }, body }
        return callAll(connector, given)
      },
    ]),
  )
  expect(await slowWorks(works)).toEqual([])
  // Each call of each connector received each response.
  expect(requests).toBeGreaterThanOrEqual(5 * works.length)
})

test('no list of Stripe of 1 MiB holds the event loop for long', async () => {
  const [, [stripe, given]] = connectors()
  const window = { from: new Date(0), to: new Date(), cursor: null }
  const works = manyValues(1_000_000).map((body): [string, () => Promise<unknown>] => [
    body.slice(0, 30),
    () => {
      response = { status: 200, headers: {}, body }
      return Promise.resolve(stripe.listOperations?.(given, window, unused)).catch((error: unknown) => String(error))
    },
  ])
  expect(await slowWorks(works)).toEqual([])
})

test('no header of a response holds the event loop for long', async () => {
  const [[connector, given]] = connectors()
  const works = hostileHeaders().map(({ what, headers }): [string, () => Promise<unknown>] => [
    what,
    () => {
      response = { status: 402, headers, body: '{}' }
      return connector.check(given, unused).catch((error: unknown) => String(error))
    },
  ])
  expect(await slowWorks(works)).toEqual([])
})

test('no webhook of a provider holds the event loop for long', async () => {
  const nowSeconds = String(Math.floor(Date.now() / 1000))
  const events = hostileTexts(4_000).flatMap(([name, text]) =>
    bodiesWith(text).flatMap((object, number) => {
      const stripe = {
        id: 'evt_1',
        object: 'event',
        type: 'payment_intent.payment_failed',
        created: 1,
        data: { object },
      }
      const http = { type: 'operation.updated', operation: object }
      return [stripe, http, text].map((event) => [`${name} in event ${number}`, event] as const)
    }),
  )
  const works = events.flatMap(([what, event]) => {
    const body = Buffer.from(JSON.stringify(event))
    const signedBy = (start: string) => hmacSha256(secret, Buffer.concat([Buffer.from(start), body]))
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': nowSeconds,
      'webhook-signature': `v1,${signedBy(`evt_1.${nowSeconds}.`).toString('base64')}`,
      'stripe-signature': `t=${nowSeconds},v1=${signedBy(`${nowSeconds}.`).toString('hex')}`,
    }
    const request: WebhookRequest = { headers, body, receivedAt: new Date() }
    return connectors().map(([connector, given]): [string, () => Promise<void>] => [
      `${connector.type}: ${what}`,
      async () => {
        const reading = connector.parseWebhook?.(given, request)
        if (reading?.kind === 'event') cleanEvent(reading.event)
      },
    ])
  })
  expect(await slowWorks(works)).toEqual([])
})
