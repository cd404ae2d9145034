/** @slow It starts its own platform. */
import { createSecretKey, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { assertionHeader } from '@payments/chassis/assertion/assertion'
import { createLog } from '@payments/chassis/observability/log'
import { contracts, type ServiceName } from '@payments/contracts/edges/contracts'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { type JsonSchema, toInputSchema } from '@payments/contracts/grammar/json-schema'
import { openConnection } from '@payments/messaging/broker/connection'
import { Publisher } from '@payments/messaging/broker/publisher'
import { named, quorumQueue } from '@payments/messaging/broker/topology'
import { signCall } from '@payments/testing/calls/signed-call'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { z } from 'zod'
import { type Onboarded, onboard } from './tenant.ts'
import { createResources, payment, type Resources, type SendRequest, senderFor } from './tenant-resources.ts'

/**
 * Promises of every list: every GET endpoint of every contract whose response has `data`. Lists come from the
 * contracts, so a new one is covered. Internal endpoints are called as payctl calls them.
 */
interface List {
  readonly name: string
  readonly service: string
  readonly endpoint: Endpoint
  /** Query parameters beside the parameters of the page. */
  readonly given: string
}

const toOutputSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** At most 16 sign-in providers of the operator: one page, for the page that shows them all. */
const unpaged = ['listSignInProviders']

const isList = ({ method, replies }: Endpoint) => {
  const reply = replies[200]
  if (method !== 'GET' || !reply) return false
  const shape = toOutputSchema(reply)
  return (shape.anyOf ?? [shape]).some(({ properties }) => properties?.['data'] !== undefined)
}

const listParameters = ({ query }: Endpoint): Readonly<Record<string, JsonSchema>> =>
  query === undefined ? {} : (toInputSchema(query).properties ?? {})

const lists: List[] = contracts.flatMap(({ service, endpoints }) =>
  Object.entries(endpoints)
    .filter(([operation, endpoint]) => isList(endpoint) && !unpaged.includes(operation))
    .flatMap(([operation, endpoint]) =>
      ['', ...(listParameters(endpoint)['group_by']?.enum ?? []).map((by) => `group_by=${String(by)}`)].map(
        (given) => ({
          name: given === '' ? `${service}.${operation}` : `${service}.${operation}?${given}`,
          service,
          endpoint,
          given,
        }),
      ),
    ),
)

let platform: TestStack
let destination: Receiver
let acme: Onboarded
let sendRequest: SendRequest
let ids: Resources
let preparedAt: string

beforeAll(async () => {
  ;[platform, destination] = [await startTestStack({ env: { WEBHOOKS_RETRY_SCHEDULE: '0s,100ms' } }), await receiver()]
  destination.respondWith(({ path }) => ({ status: path.endsWith('/failing') ? 500 : 200 }))
  acme = await onboard(platform, 'Acme')
  sendRequest = senderFor(platform, acme.api_key.value, acme.tenant_id)
  ids = await createResources(platform, sendRequest, acme, `${destination.url}/acme`)
  // A list of several groups, and of more than one of everything.
  await createResources(platform, sendRequest, acme, `${destination.url}/again`)
  for (const token of ['unknown_forever', 'unknown_forever']) {
    const paid = payment(acme.business_unit_id)
    const details = { ...paid.payment_details, cc_token: `tok_sandbox_${token}` }
    await sendRequest('POST', '/v1/payment-proxy/transactions/authorize', { ...paid, payment_details: details })
  }
  for (const recipient of ['one@example.com', 'other@example.com']) {
    const erase = ['payer', 'erase', '--tenant', acme.tenant_id, '--recipient', recipient, '--no-wait', '--yes']
    expect((await platform.payctl(...erase)).code).toBe(0)
  }
  await fillQuarantines()
  preparedAt = new Date().toISOString()
}, 120_000)

afterAll(async () => {
  await destination?.close()
  await platform?.stop()
}, 120_000)

type Quarantining = keyof typeof quarantineQueues

/** Two messages in each quarantine queue, as no handler could process them. */
async function fillQuarantines(): Promise<void> {
  const log = createLog('test', 'silent')
  const connection = await openConnection({ url: platform.amqpUrl, name: 'test', purpose: 'publish', log })
  const queues = Object.values(quarantineQueues).map((queue) => named(platform.messagingPrefix, queue))
  const topology = queues.map((queue) => quorumQueue(queue, { deliveryLimit: null }))
  const publisher = new Publisher({ connection, topology, log })
  for (const routingKey of [...queues, ...queues]) {
    await publisher.publish({ exchange: '', routingKey, body: Buffer.from('not JSON'), messageId: randomUUID() })
  }
  await publisher.close()
  await connection.close()
}

interface ListResponse {
  readonly status: number
  readonly body: { data: unknown[]; next_cursor: string | null; errors?: { pointer: string; detail: string }[] }
}

async function read({ service, endpoint, given }: List, query: string): Promise<ListResponse> {
  const known: Resources = {
    ...ids,
    tenant_id: acme.tenant_id,
    api_key_id: acme.api_key.id,
    queue: service === 'webhooks' ? 'webhooks.dead-letters' : (quarantineQueues[service as Quarantining] ?? ''),
  }
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => known[name] ?? '')
  const target = `${path}?${[given, buildRequired(endpoint, known), query].filter((part) => part !== '').join('&')}`
  if (endpoint.audience === 'internal') return readInternal(service, target)
  const { status, text } = await (endpoint.reveals ? await revealer() : sendRequest)('GET', target)
  return { status, body: JSON.parse(text) }
}

/** Lists of the caller's own: an API key, which has none, names a user. */
const forKeys = ['/v1/identity/sessions']

/** Values for the query parameters that a list requires. */
function buildRequired({ path, query }: Endpoint, known: Resources): string {
  const required = query === undefined ? [] : (toInputSchema(query).required ?? [])
  const named = forKeys.includes(path) ? [...required, 'user_id'] : required
  const values: Resources = { ...known, from: '2026-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' }
  return named.map((name) => `${name}=${values[name]}`).join('&')
}

async function readInternal(service: string, path: string): Promise<ListResponse> {
  const key = createSecretKey(Buffer.from(platform.edgeKey('payctl', service), 'base64'))
  const actor = { type: 'service' as const, id: 'payctl' }
  const contract = contracts.find((one) => one.service === service)
  if (contract === undefined) throw new Error(service)
  const claims = { tenantId: null, actor, permissions: [], traceId: randomUUID(), operator: 'ada@example.com' }
  const assertion = signCall(contract, key, claims, { method: 'GET', path }, actor.id)
  const port = platform.ports[contract.service as ServiceName]
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { [assertionHeader]: assertion } })
  return { status: response.status, body: (await response.json()) as ListResponse['body'] }
}

/** A new key per reveal, because reveals count per actor. */
async function revealer(): Promise<SendRequest> {
  const { id, value } = JSON.parse((await sendRequest('POST', '/v1/api-key/keys', { name: 'revealer' })).text)
  const roleIds = acme.roles.filter(({ name }) => name === 'admin').map((role) => role.id)
  await sendRequest('PUT', `/v1/api-key/keys/${id}/roles`, { role_ids: roleIds })
  return senderFor(platform, value, acme.tenant_id)
}

/** A list that grows during the test is read with an upper limit in time. */
function past(list: List): string {
  const bounds = ['occurred_before', 'created_before', 'dead_before'].filter(
    (name) => name in listParameters(list.endpoint),
  )
  return bounds.map((name) => `&${name}=${preparedAt}`).join('')
}

/** The identity of an item; other fields may change between two reads. */
function identifyItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item
  const found = ['id', 'name', 'key', 'permission', 'tenant_id'].find((field) => field in item)
  return found === undefined ? item : (item as Record<string, unknown>)[found]
}

/**
 * Runs `readParts` with the whole list, again if an item arrived meanwhile: an audit record is stored after the request
 * that it describes. Returns the whole list.
 */
async function whileUnchanged(list: List, readParts: (whole: readonly unknown[]) => Promise<void>): Promise<unknown[]> {
  const readWhole = async () => {
    const { status, body } = await read(list, `limit=200${past(list)}`)
    expect([list.name, status, body.next_cursor]).toEqual([list.name, 200, null])
    return body.data
  }
  for (let whole = await readWhole(); ; ) {
    await readParts(whole)
    const after = await readWhole()
    if (isDeepStrictEqual(after.map(identifyItem), whole.map(identifyItem))) return whole
    whole = after
  }
}

/** `created` for a list with `created_after` and `created_before`. Groups have no instant of their own. */
const findWindow = ({ endpoint, given }: List): string | undefined =>
  given !== '' || 'group_by' in listParameters(endpoint)
    ? undefined
    : Object.keys(listParameters(endpoint))
        .find((name) => name.endsWith('_after'))
        ?.slice(0, -'_after'.length)

const windowed = lists.filter((list) => findWindow(list) !== undefined)

test('there are the lists that the product documents', () => {
  expect(lists.length).toBeGreaterThanOrEqual(20)
  expect(windowed.length).toBeGreaterThanOrEqual(6)
})

describe.each(windowed)('$name', (list) => {
  test('has windows that meet and neither lose nor repeat an item: the start is included, the end is not', async () => {
    const name = findWindow(list)
    const items = async (query: string) =>
      (await read(list, `limit=200${query}`)).body.data as Record<string, unknown>[]
    let atBorder: Record<string, unknown> | undefined
    let earlier: Record<string, unknown>[] = []
    let later: Record<string, unknown>[] = []
    const whole = await whileUnchanged(list, async (data) => {
      atBorder = data[Math.floor(data.length / 2)] as typeof atBorder
      const border = atBorder?.[`${name}_at`] ?? atBorder?.['occurred_at']
      expect(border).toMatch(/Z$/)
      earlier = await items(`&${name}_before=${String(border)}`)
      later = await items(`&${name}_after=${String(border)}${past(list)}`)
    })
    expect([...later, ...earlier].map(identifyItem)).toEqual(whole.map(identifyItem))
    expect(later.map(identifyItem)).toContainEqual(identifyItem(atBorder))
  })
})

describe.each(lists)('$name', (list) => {
  test('yields every item once, page by page of one', async () => {
    let found: unknown[] = []
    const whole = await whileUnchanged(list, async (data) => {
      found = []
      let cursor: string | null = null
      do {
        const page = await read(list, `limit=1${past(list)}${cursor === null ? '' : `&cursor=${cursor}`}`)
        expect([page.status, page.body.data.length]).toEqual([200, Math.min(1, data.length)])
        found.push(...page.body.data)
        cursor = page.body.next_cursor
      } while (cursor !== null && found.length <= data.length)
    })
    expect(found.map(identifyItem)).toEqual(whole.map(identifyItem))
    expect(found.length).toBeGreaterThan(0)
  })

  test('rejects a limit and a cursor that are none, and an unknown value of a filter, and names the field', async () => {
    for (const query of ['limit=0', 'limit=201', 'limit=1.5', 'limit=x', 'limit=', 'cursor=!', 'cursor=bm8']) {
      const { status, body } = await read(list, query)
      const pointers = body.errors?.map(({ pointer }) => pointer)
      expect([query, status, pointers]).toEqual([query, 400, [`/query/${query.split('=')[0]}`]])
    }
    for (const [name, { enum: values = ['api-key.keys.create', 'payment-proxy.transactions.refund'] }] of choices) {
      const { status, body } = await read(list, `${name}=nonsense`)
      const [error] = body.errors ?? []
      expect([status, error?.pointer]).toEqual([400, `/query/${name}`])
      for (const value of values) expect(error?.detail).toContain(value)
    }
  })

  /** Filters whose values the contract lists. */
  const choices = Object.entries(listParameters(list.endpoint)).filter(
    ([name, { enum: values }]) => (values !== undefined || name === 'event_type') && !list.given.startsWith(name),
  )
})
