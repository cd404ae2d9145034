import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import { type JsonSchema, toInputSchema } from '@payments/contracts/grammar/json-schema'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { type Service, services, withClient } from '@payments/devkit/servers/databases'
import { type Rows, readRows } from '@payments/testing/database/rows'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type Onboarded, onboard } from './tenant.ts'
import {
  columnsWrittenLater,
  createResources,
  eventually,
  payer,
  payment,
  type Reply,
  type Resources,
  type SendRequest,
  senderFor,
  textMessage,
} from './tenant-resources.ts'

/**
 * Tenant isolation for every tenant endpoint of every contract. Each location of a request that takes an id gets an id
 * of another tenant; the other locations hold ids of the caller. The response is, byte for byte, the response to an
 * unknown id, and nothing of the other tenant changes. Endpoints come from the contracts, so a new endpoint is covered
 * or fails here.
 */
const endpoints = contracts.flatMap(({ service, endpoints }) =>
  Object.entries(endpoints)
    .filter(([, endpoint]) => endpoint.audience === 'tenant')
    .map(([operation, endpoint]) => ({
      name: `${service}.${operation}`,
      operation,
      endpoint,
      places: findLocations(endpoint),
    })),
)
type Covered = (typeof endpoints)[number]
type Endpoint = (typeof contracts)[number]['endpoints'][string]

/** Where a request takes an id: `/path/role_id`, `/query/subscription_id`, `/body/role_ids`. */
interface IdLocation {
  readonly part: 'path' | 'query' | 'body'
  readonly name: string
}

/** The resource of a location in a body, when the name of the field differs. */
const otherNames: Readonly<Record<string, string>> = { role_ids: 'role_id', ids: 'dead_letter_id' }

/** Bodies that are valid except for the id. */
const bodies: Readonly<Record<string, (own: Resources) => object>> = {
  updateKey: () => ({ name: 'renamed' }),
  assignRoles: (own) => ({ role_ids: [own['role_id']] }),
  rotateKey: () => ({}),
  updateRole: () => ({ description: 'changed' }),
  updateUser: (own) => ({ role_ids: [own['role_id']] }),
  createUserInvitation: (own) => ({ email: `${randomUUID()}@example.com`, role_ids: [own['role_id']] }),
  // Nothing listens on port 9.
  createSubscription: () => ({ destination_url: 'http://127.0.0.1:9/never', enabled: false }),
  updateSubscription: () => ({ label: 'changed' }),
  discardHeldDeliveries: () => ({ reason: 'x' }),
  recoverSubscription: () => ({ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }),
  redriveDeadLetters: (own) => ({ ids: [own['dead_letter_id']] }),
  discardDeadLetters: (own) => ({ ids: [own['dead_letter_id']], reason: 'not wanted' }),
  rotateSubscriptionSecret: () => ({}),
  updateAuthInfo: () => ({ name: 'renamed' }),
  createTransaction: (own) => ({ business_unit_id: own['business_unit_id'], currency: 'EUR', amount: 1 }),
  createAndAuthorizeTransaction: (own) => payment(own['business_unit_id'] ?? ''),
  completeTransaction: () => ({ payment_details: payment('').payment_details }),
  captureTransaction: () => ({}),
  voidTransaction: () => ({}),
  refundTransaction: () => ({}),
  resolveOperation: () => ({ outcome: 'succeeded', note: 'x' }),
  createCode: (own) => ({ transaction_id: own['pending_transaction_id'], ...payer }),
  updateCode: () => ({ return_url: null }),
  updateBusinessUnit: () => ({ default_currency: 'EUR' }),
  createPaymentOrchestrator: () => ({ name: 'Sandbox', payment_gateway: 'sandbox', mode: 'test' }),
  updatePaymentOrchestrator: () => ({ name: 'renamed' }),
  createTemplate: () => ({ name: 'Note', communication_type: 'SMS', text: 'Hello' }),
  updateTemplate: () => ({ name: 'renamed' }),
  previewTemplate: () => ({}),
  sendCommunication: (own) => textMessage(own['business_unit_id'] ?? '', own['template_id'] ?? ''),
}

/** Filters of lists that would otherwise grow between two requests: events of the caller's tenant as a whole. */
const filters: Readonly<Record<string, () => string>> = { listEvents: () => `created_before=${onboardedAt}` }

let onboardedAt: string
const platform = sharedPlatform()
let destination: Receiver
let acme: Onboarded
let other: Onboarded
let theirs: Resources
let own: Resources
let sendAsAcme: SendRequest
let sendAsOther: SendRequest
let untouched: Map<Service, { rows: Rows; before: readonly string[] }>
const acmesTraceIds: string[] = []

beforeAll(async () => {
  destination = await receiver()
  destination.respondWith(({ path }) => ({ status: path.endsWith('/failing') ? 500 : 200 }))
  ;[acme, other] = await Promise.all([onboard(platform, 'Acme'), onboard(platform, 'Other')])
  onboardedAt = new Date().toISOString()
  sendAsAcme = senderFor(platform, acme.api_key.value, acme.tenant_id, acmesTraceIds)
  sendAsOther = senderFor(platform, other.api_key.value, other.tenant_id)
  theirs = await createResources(platform, sendAsAcme, acme, `${destination.url}/acme`)
  own = await createResources(platform, sendAsOther, other, `${destination.url}/other`)
}, 120_000)

afterAll(async () => {
  await Promise.all([...(untouched?.values() ?? [])].map(({ rows }) => rows.stop()))
  await destination?.close()
}, 120_000)

test('there is a resource for each location that takes an id', () => {
  const unknown = endpoints.flatMap(({ name, places }) =>
    places
      .filter((place) => !Object.hasOwn(theirs, otherNames[place.name] ?? place.name))
      .map((place) => `${name} /${place.part}/${place.name}`),
  )
  // For each: create a resource in createResources of test/tenant-resources.ts and return its id by this name.
  expect(unknown).toEqual([])
})

test('a tenant reads its own resources, so the ids exist', async () => {
  const reads = endpoints.filter(
    ({ endpoint, places }) => endpoint.method === 'GET' && places.some(({ part }) => part === 'path'),
  )
  expect(reads.length).toBeGreaterThan(5)
  for (const covered of reads) {
    const { status } = await sendAsAcme('GET', buildPath(covered, theirs))
    expect([covered.name, status]).toEqual([covered.name, 200])
  }
})

describe("with another tenant's id", () => {
  beforeAll(async () => {
    await untilSettled()
    untouched = new Map()
    for (const service of services.filter((name) => name !== 'audit')) {
      const options = { tenantId: acme.tenant_id, without: columnsWrittenLater }
      const rows = await readRows(platform.databases[service].ownerUrl, options)
      untouched.set(service, { rows, before: await rows.digest() })
    }
  })

  // Reads run first, because a caller may create resources in an unknown business unit of payment-proxy.
  const probes = endpoints
    .flatMap((covered) => listProbes(covered).map((probe) => ({ ...covered, ...probe })))
    .sort((a, b) => Number(a.endpoint.method !== 'GET') - Number(b.endpoint.method !== 'GET'))
  test.each(probes)('$name, $what: the response of an unknown id', async (probe) => {
    const sendRequest = await actorFor(probe)
    const foreign = await send(sendRequest, probe, (name) => theirs[name] ?? '')
    const missing = await send(sendRequest, probe, () => randomUUID())
    expect([probe.name, isDecidedById(probe, missing.reply)]).toEqual([probe.name, true])
    expect(shown(foreign)).toEqual(shown(missing))
  })

  test('nothing of the other tenant has changed', async () => {
    for (const [service, { rows, before }] of untouched)
      expect([service, await rows.digest()]).toEqual([service, before])
  })

  test("not one of these requests is in the other tenant's audit records", async () => {
    const last = await sendAsOther('GET', '/v1/api-key/keys')
    const recorded = async (sendRequest: SendRequest, query: string) =>
      (JSON.parse((await sendRequest('GET', `/v1/audit/records${query}`)).text) as { data: AuditRecord[] }).data
    await eventually(
      async () => (await recorded(sendAsOther, `?trace_id=${last.traceId}`))[0],
      'the record of the last request',
    )
    const records = await recorded(sendAsAcme, '?limit=200')
    expect(records.length).toBeGreaterThan(5)
    // The records include the onboarding of the tenant by an operator.
    const ofOthers = records.filter(
      ({ actor, trace_id: id }) => actor.type !== 'operator' && !acmesTraceIds.includes(id),
    )
    expect(ofOthers).toEqual([])
  })
})

interface Probe {
  readonly what: string
  /** Locations that get the id. */
  readonly locations: readonly IdLocation[]
}

/** Each location alone, and all locations of the path together. */
function listProbes({ places }: Covered): Probe[] {
  const inPath = places.filter(({ part }) => part === 'path')
  const together = inPath.length > 1 ? [{ what: 'all of the path', locations: inPath }] : []
  return [...places.map((place) => ({ what: `/${place.part}/${place.name}`, locations: [place] })), ...together]
}

function findLocations({ params, query, body }: Endpoint): IdLocation[] {
  const idsIn = (shape: JsonSchema | undefined) =>
    Object.entries(shape?.properties ?? {})
      .filter(([name, field]) => name.endsWith('_id') || isUuid(field) || isUuid(field.items ?? {}))
      .map(([name]) => name)
  const inBody = body === undefined ? [] : idsIn(toInputSchema(body))
  const inQuery = query === undefined ? [] : idsIn(toInputSchema(query))
  const inPath = Object.keys(params === undefined ? {} : (toInputSchema(params).properties ?? {}))
  return [
    ...inPath.map((name) => ({ part: 'path' as const, name })),
    ...inQuery.map((name) => ({ part: 'query' as const, name })),
    ...inBody.map((name) => ({ part: 'body' as const, name })),
  ]
}

function isUuid(shape: JsonSchema): boolean {
  return (shape.anyOf ?? [shape]).some(({ format }) => format === 'uuid')
}

function buildPath({ endpoint }: Covered, ids: Resources): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? '')
}

async function send(
  sendRequest: SendRequest,
  { locations, ...covered }: Covered & Probe,
  chooseId: (name: string) => string,
) {
  const ids: Record<string, string> = {}
  for (const { name } of locations) ids[name] = chooseId(otherNames[name] ?? name)
  const filter = filters[covered.operation]?.()
  const idsInQuery = locations.filter(({ part }) => part === 'query').map(({ name }) => `${name}=${ids[name]}`)
  const query = filter === undefined ? idsInQuery : [...idsInQuery, filter]
  const path = buildPath(covered, { ...own, ...ids })
  const given = bodies[covered.operation]
  if (covered.endpoint.body !== undefined && given === undefined) {
    throw new Error(`Give ${covered.operation} a body in test/isolation.test.ts that is good but for the id.`)
  }
  const inBody = locations.filter(({ part }) => part === 'body')
  const replaced = Object.fromEntries(
    inBody.map(({ name }) => [name, otherNames[name] === undefined ? ids[name] : [ids[name]]]),
  )
  const body = given === undefined ? undefined : { ...given(own), ...replaced }
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`
  return { reply: await sendRequest(covered.endpoint.method, target, body), ids: Object.values(ids) }
}

/** The response without trace id, the requested id, counters and dates. */
function shown({ reply, ids }: { reply: Reply; ids: readonly string[] }) {
  const { status, headers, traceId } = reply
  const plain = (text: string) => [traceId, ...ids].reduce((rest, id) => rest.replaceAll(id, '<id>'), text)
  const compared = [...headers]
    .filter(([name]) => !/^(date|ratelimit.*)$/.test(name))
    .map(([name, value]) => [name, plain(value)])
  // A created resource belongs to the caller and has a new id.
  return status === 201 || status === 202 ? { status } : { status, headers: compared, text: plain(reply.text) }
}

/**
 * Whether the response depends on the id: the resource does not exist, a task has nothing to do, or a filter finds
 * nothing but events of the caller's tenant as a whole.
 */
function isDecidedById({ locations }: Covered & Probe, { status, text }: Reply): boolean {
  const [first] = locations
  if (first?.part === 'body') return [202, 404, 422].includes(status)
  if (first?.part !== 'query' || status === 404) return status === 404
  const { data, intervals } = JSON.parse(text)
  if (intervals !== undefined) return intervals.every(({ total }: { total: number }) => total === 0)
  return status === 200 && data.every(({ business_unit_id: unit }: { business_unit_id?: string }) => unit === null)
}

/** A new actor per reveal, because rejected reveals count too. */
async function actorFor({ endpoint }: Covered): Promise<SendRequest> {
  if (endpoint.reveals !== true) return sendAsOther
  const { id, value } = JSON.parse((await sendAsOther('POST', '/v1/api-key/keys', { name: 'revealer' })).text)
  const roleIds = other.roles.filter(({ name }) => name === 'admin').map((role) => role.id)
  const { status } = await sendAsOther('PUT', `/v1/api-key/keys/${id}/roles`, { role_ids: roleIds })
  expect(status).toBe(200)
  return senderFor(platform, value, other.tenant_id)
}

/** Waits until every event of the tenants is published and every delivery final. */
async function untilSettled(): Promise<void> {
  const tenants = [acme.tenant_id, other.tenant_id]
  const count = (service: Service, from: string) =>
    withClient(platform.databases[service].ownerUrl, async (owner) => {
      await owner.query(`SET app.tenant_id = '*'`)
      const { rows } = await owner.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${from} AND tenant_id = ANY($1::uuid[])`,
        [tenants],
      )
      return rows[0]?.count
    })
  await eventually(async () => {
    const outboxes = services.filter((name) => name !== 'audit')
    const waiting = await Promise.all([
      ...outboxes.map((service) => count(service, 'outbox_events WHERE published_at IS NULL')),
      count('webhooks', `deliveries WHERE status NOT IN ('delivered', 'dead')`),
      count('webhooks', `tasks WHERE status = 'running'`),
    ])
    return waiting.every((one) => one === 0) ? true : undefined
  }, 'an end of events and deliveries')
}
