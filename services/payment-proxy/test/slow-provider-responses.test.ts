/** @slow It measures slow functions with every hostile text. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ConnectorName } from '@payments/contracts/nouns/payment-connectors'
import { createHttpClient, type HttpClient } from '@payments/egress/http-client'
import { hostileHeaders, hostileTexts } from '@payments/testing/generators/hostile-text'
import { slowWorks } from '@payments/testing/runner/held-time'
import type { Account, Command, Connector, WebhookRequest } from '../src/connectors/connector.ts'
import { createHttpConnector } from '../src/connectors/http/http-connector.ts'
import { cleanEvent, cleanOutcome } from '../src/connectors/provider-text.ts'
import { hmacSha256 } from '../src/connectors/signature.ts'
import { createStripeConnector } from '../src/connectors/stripe/stripe-connector.ts'
import type { OperationType } from '../src/domain/operation.ts'
import type { Outcome } from '../src/domain/outcome.ts'
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
/** The connectors that read responses. A new one compiles when every list of this file has it. */
type CallingConnector = Exclude<ConnectorName, 'sandbox'>

/** With as many slashes as fit beside the path of a request. */
const account = (connector: CallingConnector): Account => ({
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

function buildCommand(given: Account): Command {
  const ids = { operationId, authorizationId: operationId }
  const references = { authorizationReference: 'pi_1', providerReference: 'pi_1' }
  const amounts = { amount: 100, amountReleased: 0, currency: 'EUR' }
  return { account: given, type: 'refund', startedAt: new Date(), ...ids, ...references, ...amounts }
}

/** Every call of a provider, whatever becomes of it. */
async function callAll(connector: Connector, given: Account): Promise<void> {
  const command = buildCommand(given)
  const paymentDetails = { token: 'pm_1', paymentMethod: 'CREDIT_CARD', returnUrl: null } as const
  const window = { from: new Date(0), to: new Date(), cursor: null }
  const calls = {
    authorize: () => connector.execute({ ...command, type: 'authorize', paymentDetails }, unused),
    capture: () => connector.execute({ ...command, type: 'capture' }, unused),
    void: () => connector.execute({ ...command, type: 'void' }, unused),
    refund: () => connector.execute({ ...command, type: 'refund' }, unused),
    sync: () => connector.sync(command, unused),
    cancel: () => connector.cancel({ ...command, reason: 'requested' }, unused),
  } satisfies Record<OutcomeCall, () => Promise<Outcome>>
  const reads = {
    check: () => connector.check(given, unused),
    listOperations: async () => connector.listOperations?.(given, window, unused),
  } satisfies Record<Exclude<Call, 'execute' | OutcomeCall>, () => Promise<unknown>>
  const outcomes = Object.values(calls).map((call) => async () => cleanOutcome(await call()))
  for (const call of [...outcomes, ...Object.values(reads)]) await call().catch((error: unknown) => String(error))
}

type Call = Exclude<keyof Connector, 'type' | 'passesGates' | 'recognizes' | 'parseWebhook'>
type OutcomeCall = Exclude<Call, 'execute' | 'check' | 'listOperations'> | OperationType
const callCount = 8

const responseMax = 60_000

/** Responses of each protocol in which each text that the protocol does not bound is the given one. */
const bodyBuilders = {
  http: (text) => {
    const authentication = { version: text, result: 'authenticated', eci: text, transaction_id: text }
    const operation = { operation_id: operationId, reference: text, authentication }
    const decline = { code: text, retryable: true, provider_code: text }
    return [
      { ...operation, state: 'declined', decline },
      { ...operation, state: 'succeeded', amount: 100, currency: 'EUR', payment_method: { type: 'ACH', brand: text } },
      { ...operation, state: 'action_required', action: { type: 'redirect', url: text, expires_at: text } },
      { operations: [{ ...operation, type: text, state: text, received_at: text, currency: text }], next: text },
      { code: text },
    ]
  },
  stripe: (text) => {
    const error = { type: text, code: text, decline_code: text }
    const card = { brand: text, three_d_secure: { version: text, electronic_commerce_indicator: text } }
    const intent = {
      ...{ id: 'pi_1', object: 'payment_intent', status: 'requires_capture', amount: 100, amount_capturable: 100 },
      ...{ amount_received: 0, currency: 'eur', created: 1, cancellation_reason: text, last_payment_error: error },
      metadata: { operation_id: operationId, [text.slice(0, 1_000)]: text },
      latest_charge: { id: text, payment_method_details: { card } },
    }
    return [{ error }, intent]
  },
} satisfies Record<CallingConnector, (text: string) => unknown[]>

const bodiesWith = (text: string): unknown[] => [
  text,
  ...Object.values<(text: string) => unknown[]>(bodyBuilders).flatMap((bodies) => bodies(text)),
]

const manyValues = (count: number) =>
  ['{}', '[]', '0', 'null', '{"a":{}}'].flatMap((item) => {
    const list = `[${`${item},`.repeat(count / (item.length + 1) - 1)}${item}]`
    return [`{"operations":${list},"next":null}`, `{"data":${list},"has_more":false}`, `{"metadata":${list}}`, list]
  })

/** A list of 50 objects of Stripe whose metadata have as many members as fit. */
const manyMembers = (count: number) => {
  const members = (start: string, keys: number) =>
    Object.fromEntries(Array.from({ length: keys }, (_, key) => [`${start}${key.toString(36)}`, 1]))
  const amounts = { amount: 1, amount_capturable: 1, amount_received: 0 }
  const intent = { object: 'payment_intent', status: 'requires_capture', ...amounts, currency: 'eur', created: 1 }
  return ['', 'operation_'].map((start) => {
    const metadata = members(start, count / 50 / (start.length + 8))
    const data = Array.from({ length: 50 }, (_, number) => ({ ...intent, id: `pi_${number}`, metadata }))
    return JSON.stringify({ data, has_more: true })
  })
}

const creators = { http: createHttpConnector, stripe: createStripeConnector } satisfies Record<
  CallingConnector,
  (client: HttpClient) => Connector
>
const callingConnectors = Object.keys(creators) as CallingConnector[]
const connectors = () => callingConnectors.map((name) => [creators[name](client), account(name)] as const)

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
  expect(requests).toBeGreaterThanOrEqual(callCount * works.length)
})

test('no list of Stripe of 1 MiB holds the event loop for long', async () => {
  const [stripe, given] = [createStripeConnector(client), account('stripe')]
  const window = { from: new Date(0), to: new Date(), cursor: null }
  const works = [...manyValues(1_000_000), ...manyMembers(1_000_000)].map((body): [string, () => Promise<unknown>] => [
    body.slice(0, 30),
    () => {
      response = { status: 200, headers: {}, body }
      return Promise.resolve(stripe.listOperations?.(given, window, unused)).catch((error: unknown) => String(error))
    },
  ])
  expect(await slowWorks(works)).toEqual([])
})

test('no header of a response holds the event loop for long', async () => {
  const works = connectors().flatMap(([connector, given]) =>
    hostileHeaders().map(({ what, headers }): [string, () => Promise<unknown>] => [
      `${connector.type}: ${what}`,
      () => {
        response = { status: 402, headers, body: '{}' }
        return connector.check(given, unused).catch((error: unknown) => String(error))
      },
    ]),
  )
  expect(await slowWorks(works)).toEqual([])
})

/** The event of each protocol about an object of the provider. */
const eventBuilders = {
  http: (operation) => ({ type: 'operation.updated', operation }),
  stripe: (object) => {
    return { id: 'evt_1', object: 'event', type: 'payment_intent.payment_failed', created: 1, data: { object } }
  },
} satisfies Record<CallingConnector, (object: unknown) => object>

/** The headers of a genuine event in each protocol. */
const headerBuilders = {
  http: (body, at) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': at,
    'webhook-signature': `v1,${signBytes(`evt_1.${at}.`, body).toString('base64')}`,
  }),
  stripe: (body, at) => ({ 'stripe-signature': `t=${at},v1=${signBytes(`${at}.`, body).toString('hex')}` }),
} satisfies Record<CallingConnector, (body: Buffer, atSeconds: string) => object>

const signBytes = (start: string, body: Buffer) => hmacSha256(secret, Buffer.concat([Buffer.from(start), body]))

test('no webhook of a provider holds the event loop for long', async () => {
  const nowSeconds = String(Math.floor(Date.now() / 1000))
  const events = hostileTexts(4_000).flatMap(([name, text]) =>
    bodiesWith(text).flatMap((object, number) => {
      const bodies = Object.values(eventBuilders).map((buildEvent) => buildEvent(object))
      return [...bodies, text].map((event) => [`${name} in event ${number}`, event] as const)
    }),
  )
  const works = events.flatMap(([what, event]) => {
    const body = Buffer.from(JSON.stringify(event))
    const headers = Object.assign({}, ...Object.values(headerBuilders).map((sign) => sign(body, nowSeconds)))
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
