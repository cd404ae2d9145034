import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { outcome } from '@payments/testing/calls/caller'
import { pino } from 'pino'
import { created, httpProvider, httpSecret, sandbox, startWorld, stripe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const listCodes = (replies: readonly { status: number; body: { code?: string } }[]) =>
  replies.map(({ status, body }) => body.code ?? status)
/** The ids of the defaults of a unit, of which there is at most one. */
const listDefaults = async ({ tenant, orchestrators }: Awaited<ReturnType<World['unit']>>) => {
  const { body } = await tenant.get(orchestrators)
  return body.data.filter((one: PaymentOrchestrator) => one.is_default).map(({ id }: PaymentOrchestrator) => id)
}

test('creates a payment orchestrator, and emits one event of the unit without credentials', async () => {
  const { tenant, tenantId, unit, orchestrators } = await world.unit()
  const settings = { region: 'eu', retries: 2, partial: true }
  const given = httpProvider({ payment_methods: ['ACH'], currencies: ['EUR', 'USD'], settings })
  const reply = await tenant.post(orchestrators, given)
  expect(reply.status).toBe(201)
  const { gateway_authentication: _, ...shown } = given
  expect(reply.body).toMatchObject({
    ...shown,
    business_unit_id: unit.id,
    gateway_authentication_fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
    iframe_url: null,
    is_default: true,
    status: 'active',
    version: 1,
  })
  expect(reply.headers['location']).toBe(`${orchestrators}/${reply.body.id}`)
  expect((await tenant.get(`${orchestrators}/${reply.body.id}`)).body).toEqual(reply.body)
  const [, event, ...others] = await world.events(tenantId)
  expect(others).toEqual([])
  expect(event).toEqual({
    type: 'business.unit.payment.orchestrator.create',
    business_unit_id: unit.id,
    trace_id: reply.headers['trace-id'],
    payload: { payment_orchestrator: reply.body },
  })
})

test('credentials are in no row, response, event or log line in clear', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const logged = await startWorld({ log })
  try {
    const of = await logged.unit()
    const replies = [
      await of.tenant.post(of.orchestrators, httpProvider(), { 'Idempotency-Key': randomUUID() }),
      await of.tenant.post(
        of.orchestrators,
        httpProvider({ gateway_authentication: { key_id: 'k', secret: httpSecret, x: httpSecret } }),
      ),
      await of.tenant.post(of.orchestrators, stripe({ gateway_authentication: { secret_key: httpSecret } })),
      await of.tenant.patch(`${of.orchestrators}/${randomUUID()}`, { gateway_authentication: { secret: httpSecret } }),
    ]
    expect(listCodes(replies)).toEqual([
      201,
      'invalid_gateway_authentication',
      'invalid_gateway_authentication',
      'payment_orchestrator_not_found',
    ])
    const tables = ['business_units', 'payment_orchestrators', 'idempotency_keys', 'outbox_events', 'operator_calls']
    const stored = await Promise.all(
      tables.map((table) => logged.rows(`SELECT to_jsonb(t)::text AS row FROM ${table} t`)),
    )
    const [secret] = await logged.rows<{ bytes: Uint8Array }>(
      'SELECT gateway_authentication_encrypted AS bytes FROM payment_orchestrators',
    )
    const everything = [...lines, ...replies.map(({ text }) => text), JSON.stringify(stored)].join('\n')
    expect(everything).toContain('createPaymentOrchestrator')
    for (const text of [everything, Buffer.from(secret?.bytes ?? []).toString('latin1')]) {
      expect(text).not.toContain(httpSecret)
    }
  } finally {
    await logged.stop()
  }
})

test('the fingerprints of equal credentials of two payment orchestrators do not reveal that they are equal', async () => {
  const of = await world.unit()
  const [one, other] = [await created(of, httpProvider()), await created(of, httpProvider())]
  expect(one.gateway_authentication_fingerprint).not.toBe(other.gateway_authentication_fingerprint)
  expect((await created(of, sandbox())).gateway_authentication_fingerprint).toBeNull()
})

test.each([
  [sandbox({ gateway_authentication: { secret: 'x' } }), ['/secret']],
  [httpProvider({ gateway_authentication: {} }), ['/key_id', '/secret']],
  [httpProvider({ gateway_authentication: { key_id: 'k', secret: 'too-short' } }), ['/secret']],
  [httpProvider({ gateway_authentication: { key_id: 'k', secret: httpSecret, 'a/b': 'x' } }), ['/a~1b']],
  [stripe({ gateway_authentication: { secret_key: 'pk_test_12345678' } }), ['/secret_key']],
  [stripe({ gateway_authentication: { secret_key: 'sk_live_12345678' } }), ['/secret_key']],
  [stripe({ mode: 'live' }), ['/secret_key']],
  [
    stripe({ gateway_authentication: { secret_key: 'sk_test_12345678', webhook_secret: 'secret-secret' } }),
    ['/webhook_secret'],
  ],
])('rejects %j with invalid_gateway_authentication, names the fields and creates nothing', async (body, fields) => {
  const { tenant, tenantId, orchestrators } = await world.unit()
  const reply = await tenant.post(orchestrators, body)
  expect(outcome(reply)).toEqual([422, 'invalid_gateway_authentication'])
  const pointers: string[] = reply.body.errors.map((error: { pointer: string }) => error.pointer)
  expect([...new Set(pointers)]).toEqual(fields.map((field) => `/gateway_authentication${field}`))
  expect((await tenant.get(orchestrators)).body.data).toEqual([])
  expect(await world.events(tenantId)).toHaveLength(1)
})

test.each([
  [sandbox({ mode: 'live' }), '/mode'],
  [httpProvider({ gateway_url: null }), '/gateway_url'],
  [sandbox({ is_default: true, status: 'inactive' }), '/is_default'],
  [sandbox({ payment_gateway: 'cash' }), '/payment_gateway'],
  [sandbox({ status: 'deleted' }), '/status'],
  [sandbox({ currencies: [] }), '/currencies'],
  [sandbox({ settings: { text: 'x'.repeat(1001) } }), '/settings/text'],
  [httpProvider({ settings: { protocol_version: 3 } }), '/settings/protocol_version'],
  [httpProvider({ settings: { protocol_version: '2' } }), '/settings/protocol_version'],
  [httpProvider({ settings: { protocol_version: true } }), '/settings/protocol_version'],
  [sandbox({ settings: Object.fromEntries(Array.from({ length: 5 }, (_, i) => [i, 'x'.repeat(1000)])) }), '/settings'],
])('rejects %j, names the field and creates nothing', async (body, pointer) => {
  const { tenant, tenantId, orchestrators } = await world.unit()
  const reply = await tenant.post(orchestrators, body)
  expect(outcome(reply)).toEqual([400, 'invalid_request'])
  expect(reply.body.errors[0].pointer).toBe(pointer)
  expect((await tenant.get(orchestrators)).body.data).toEqual([])
  expect(await world.events(tenantId)).toHaveLength(1)
})

test('rejects URLs that the platform may not connect to, and names each of them', async () => {
  const { tenant, tenantId, orchestrators } = await world.unit()
  const urls = {
    gateway_url: 'http://api.bank.example.com',
    iframe_url: 'https://10.0.0.7/card',
    tokenizer_url: 'https://tokens.internal/',
  }
  const reply = await tenant.post(orchestrators, httpProvider(urls))
  expect(outcome(reply)).toEqual([422, 'destination_not_allowed'])
  expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(
    Object.keys(urls).map((name) => `/${name}`),
  )
  expect(await world.events(tenantId)).toHaveLength(1)
})

test('accepts private URLs where the configuration allows them', async () => {
  const development = await startWorld({ destinations: { allowPrivate: true } })
  try {
    const of = await development.unit()
    const one = await created(of, httpProvider({ gateway_url: 'http://127.0.0.1:9000/v1' }))
    expect(one.gateway_url).toBe('http://127.0.0.1:9000/v1')
  } finally {
    await development.stop()
  }
})

test('the first active one becomes the default, an inactive one and a later one do not', async () => {
  const of = await world.unit()
  const inactive = await created(of, sandbox({ status: 'inactive' }))
  const first = await created(of, sandbox({ is_default: false }))
  const later = await created(of, sandbox())
  expect([inactive, first, later].map((one) => one.is_default)).toEqual([false, true, false])
})

test('a new default replaces the current one: one event for each, in one transaction', async () => {
  const of = await world.unit()
  const first = await created(of, sandbox())
  const second = await created(of, sandbox({ is_default: true }))
  const { body: previous } = await of.tenant.get(`${of.orchestrators}/${first.id}`)
  expect(previous).toEqual({ ...first, is_default: false, version: 2, updated_at: previous.updated_at })
  const events = (await world.events(of.tenantId)).slice(2)
  expect(events.map(({ type, payload }) => [type, payload.payment_orchestrator])).toEqual([
    ['business.unit.payment.orchestrator.update', previous],
    ['business.unit.payment.orchestrator.create', second],
  ])
  expect(new Set(events.map((event) => event.trace_id)).size).toBe(1)
})

test('ten at once, each as the default: one default remains, and every version has its event', async () => {
  const of = await world.unit()
  const bodies = Array.from({ length: 10 }, () => sandbox({ is_default: true }))
  const replies = await Promise.all(bodies.map((body) => of.tenant.post(of.orchestrators, body)))
  expect(listCodes(replies)).toEqual(Array(10).fill(201))
  expect(await listDefaults(of)).toHaveLength(1)
  expect(await world.events(of.tenantId)).toHaveLength(1 + 10 + 9)
})

test('ten at once, none as the default: the first becomes the default', async () => {
  const of = await world.unit()
  await Promise.all(Array.from({ length: 10 }, () => of.tenant.post(of.orchestrators, sandbox())))
  expect(await listDefaults(of)).toHaveLength(1)
  expect(await world.events(of.tenantId)).toHaveLength(1 + 10)
})

const seed = (unit: { tenantId: string; unit: { id: string } }, status: string, count: number) =>
  world.rows(
    `INSERT INTO payment_orchestrators
       (id, tenant_id, business_unit_id, name, payment_gateway, mode, is_default, status, settings, updated_at)
     SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'seed', 'sandbox', 'test', false,
       $3::text::"PaymentOrchestratorStatus", '{}', now() FROM generate_series(1, $4::int) RETURNING id`,
    unit.tenantId,
    unit.unit.id,
    status,
    count,
  )

test.each([
  ['active', 45],
  ['inactive', 45],
  ['deleted', 195],
])('ten at once do not exceed the limit of a unit with %s ones', async (status, count) => {
  const of = await world.unit()
  await seed(of, status, count)
  const replies = await Promise.all(Array.from({ length: 10 }, () => of.tenant.post(of.orchestrators, sandbox())))
  const codes = listCodes(replies)
  expect(codes.filter((code) => code === 201)).toHaveLength(5)
  expect(codes.filter((code) => code === 'too_many_payment_orchestrators')).toHaveLength(5)
})

test('creates one per Idempotency-Key, also with credentials', async () => {
  const { tenant, tenantId, orchestrators } = await world.unit()
  const header = { 'Idempotency-Key': randomUUID() }
  const first = await tenant.post(orchestrators, httpProvider(), header)
  const again = await tenant.post(orchestrators, httpProvider(), header)
  expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true'])
  expect(await world.events(tenantId)).toHaveLength(2)
})

test('the unit of another tenant and an unknown one are business_unit_not_found', async () => {
  const { tenantId, orchestrators } = await world.unit()
  for (const path of [orchestrators, orchestrators.replace(/units\/[^/]+/, `units/${randomUUID()}`)]) {
    const reply = await world.asTenant(randomUUID()).post(path, sandbox())
    expect(outcome(reply)).toEqual([404, 'business_unit_not_found'])
  }
  expect(await world.events(tenantId)).toHaveLength(1)
})

test('is the default only with the permission to change payment orchestrators, also the first one of a unit', async () => {
  const of = await world.unit()
  const mayCreate = world.asTenant(of.tenantId, ['businessunit:CreatePaymentOrchestrator'])
  const ofWeaker = await created({ ...of, tenant: mayCreate }, sandbox())
  expect([ofWeaker.is_default, ofWeaker.status, await listDefaults(of)]).toEqual([false, 'active', []])
  const first = await created(of, sandbox({ is_default: true }))
  const events = await world.events(of.tenantId)
  const reply = await mayCreate.post(of.orchestrators, sandbox({ is_default: true }))
  expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([
    403,
    'permission_denied',
    '/is_default',
  ])
  expect([await listDefaults(of), await world.events(of.tenantId)]).toEqual([[first.id], events])
  expect((await created({ ...of, tenant: mayCreate }, sandbox())).is_default).toBe(false)
  const second = await created(of, sandbox({ is_default: true }))
  expect(await listDefaults(of)).toEqual([second.id])
})

test('after the deletion of the default, another default needs businessunit:UpdatePaymentOrchestrator', async () => {
  const of = await world.unit()
  const first = await created(of, sandbox())
  const weaker = world.asTenant(of.tenantId, [
    'businessunit:CreatePaymentOrchestrator',
    'businessunit:DeletePaymentOrchestrator',
  ])
  expect((await weaker.delete(`${of.orchestrators}/${first.id}`)).status).toBe(204)
  const reply = await weaker.post(of.orchestrators, sandbox({ is_default: true }))
  expect([reply.status, reply.body.code]).toEqual([403, 'permission_denied'])
  expect((await created({ ...of, tenant: weaker }, sandbox())).is_default).toBe(false)
  expect(await listDefaults(of)).toEqual([])
  const second = await created(of, sandbox())
  expect(await listDefaults(of)).toEqual([])
  const third = await created(of, sandbox({ is_default: true }))
  expect([await listDefaults(of), second.is_default]).toEqual([[third.id], false])
})
