import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { outcome } from '@payments/testing/calls/caller'
import { created, httpProvider, httpSecret, sandbox, startWorld, stripe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('changes the given fields only, increments the version and emits one event', async () => {
  const of = await world.unit()
  const one = await created(of, httpProvider({ currencies: ['EUR'] }))
  const change = { name: 'Other bank', currencies: null, settings: { region: 'us' } }
  const changed = await of.tenant.patch(`${of.orchestrators}/${one.id}`, change)
  expect(changed.status).toBe(200)
  expect(changed.body).toEqual({ ...one, ...change, version: 2, updated_at: changed.body.updated_at })
  const [, , event, ...others] = await world.events(of.tenantId)
  expect(others).toEqual([])
  expect(event).toEqual({
    type: 'business.unit.payment.orchestrator.update',
    business_unit_id: of.unit.id,
    trace_id: changed.headers['trace-id'],
    payload: { payment_orchestrator: changed.body },
  })
})

describe('each field of a change alone', () => {
  const credentials = { key_id: 'key-1', secret: httpSecret }
  const filled = httpProvider({
    iframe_url: 'https://cards.bank.example.com/page',
    tokenizer_url: 'https://cards.bank.example.com/tokens',
    gateway_authentication: credentials,
    payment_methods: ['CREDIT_CARD'],
    currencies: ['EUR'],
    settings: { region: 'eu' },
  })
  /** New values of each field. URLs require the credentials, which stay the same. */
  const values: Record<string, unknown[]> = {
    name: ['Other bank'],
    gateway_url: ['https://api2.bank.example.com/'],
    iframe_url: ['https://cards2.bank.example.com/page', null],
    tokenizer_url: ['https://cards2.bank.example.com/tokens', null],
    gateway_authentication: [{ ...credentials, key_id: 'key-2' }],
    payment_methods: [['ACH'], ['CREDIT_CARD', 'ACH'], null],
    currencies: [['USD', 'EUR'], null],
    is_default: [true],
    status: ['inactive'],
    settings: [{ region: 'us', retries: 3 }],
  }
  const fields = Object.keys(businessUnitContract.endpoints.updatePaymentOrchestrator.body.shape)

  test.each(fields)('%s changes itself and no other field', async (field) => {
    expect(values).toHaveProperty([field])
    for (const value of values[field] ?? []) {
      const of = await world.unit()
      await created(of, sandbox())
      const one = await created(of, filled)
      const given = field.endsWith('_url') ? { gateway_authentication: credentials } : {}
      const changed = await of.tenant.patch(`${of.orchestrators}/${one.id}`, { [field]: value, ...given })
      expect(changed.status).toBe(200)
      const { version, updated_at, gateway_authentication_fingerprint: fingerprint } = changed.body
      const shown =
        field === 'gateway_authentication' ? { gateway_authentication_fingerprint: fingerprint } : { [field]: value }
      expect(changed.body).toEqual({ ...one, ...shown, version, updated_at })
      expect([version, fingerprint === one.gateway_authentication_fingerprint]).toEqual([
        2,
        !('gateway_authentication_fingerprint' in shown),
      ])
      expect((await of.tenant.get(`${of.orchestrators}/${one.id}`)).body).toEqual(changed.body)
    }
  })
})

describe('settings merge by member', () => {
  const settings = { region: 'eu', retries: 2, partial: true }
  const many = (count: number, value: unknown = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, value]))

  test.each<[string, object, object]>([
    ['another value', { region: 'us' }, { ...settings, region: 'us' }],
    ['another member', { protocol_version: 2 }, { ...settings, protocol_version: 2 }],
    ['a removed member', { retries: null }, { region: 'eu', partial: true }],
    ['a member that is not there', { other: null }, settings],
    ['no member', {}, settings],
    [
      'as many members as there can be, in place of the others',
      { ...many(20), region: null, retries: null, partial: null },
      many(20),
    ],
  ])('%s', async (_, change, merged) => {
    const of = await world.unit()
    const one = await created(of, httpProvider({ settings }))
    const changed = await of.tenant.patch(`${of.orchestrators}/${one.id}`, { settings: change })
    expect([changed.status, changed.body.settings]).toEqual([200, merged])
    expect((await of.tenant.get(`${of.orchestrators}/${one.id}`)).body).toEqual(changed.body)
    expect((await world.events(of.tenantId)).at(-1)?.payload.payment_orchestrator).toEqual(changed.body)
  })

  test.each<[string, object]>([
    ['21 members', many(18)],
    ['more than 4096 characters', many(4, 'x'.repeat(1_000))],
    ['41 members in the change', many(41, null)],
    ['a list', { region: ['eu'] }],
  ])('rejects %s, names the field and changes nothing', async (_, change) => {
    const of = await world.unit()
    const one = await created(of, sandbox({ settings: { ...settings, text: 'x'.repeat(100) } }))
    const reply = await of.tenant.patch(`${of.orchestrators}/${one.id}`, { settings: change })
    expect(outcome(reply)).toEqual([400, 'invalid_request'])
    expect(reply.body.errors[0].pointer).toMatch(/^\/settings/)
    expect((await of.tenant.get(`${of.orchestrators}/${one.id}`)).body).toEqual(one)
    expect(await world.events(of.tenantId)).toHaveLength(2)
  })

  test('ten members at once are all stored', async () => {
    const of = await world.unit()
    const one = await created(of, sandbox({ settings }))
    const path = `${of.orchestrators}/${one.id}`
    const changes = Object.entries(many(10)).map(([name, value]) => ({ settings: { [name]: value } }))
    const replies = await Promise.all(changes.map((change) => of.tenant.patch(path, change)))
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await of.tenant.get(path)).body).toMatchObject({ settings: { ...settings, ...many(10) }, version: 11 })
  })
})

test('the fingerprint changes with the credentials, and only then', async () => {
  const of = await world.unit()
  const one = await created(of, httpProvider())
  const path = `${of.orchestrators}/${one.id}`
  const given = { secret: httpSecret, key_id: 'key-1' }
  const fingerprint = async (change: object) =>
    (await of.tenant.patch(path, change)).body.gateway_authentication_fingerprint
  const initial = one.gateway_authentication_fingerprint
  const next = await fingerprint({ gateway_authentication: { ...given, secret: `${httpSecret}-2` } })
  expect(next).not.toBe(initial)
  expect(await fingerprint({ name: 'x' })).toBe(next)
  expect(await fingerprint({ gateway_authentication: given })).toBe(initial)
  const read = await world
    .asService('payment-proxy')
    .get(`/internal/tenants/${of.tenantId}/payment-orchestrators/${one.id}/gateway-authentication`)
  expect(read.body).toEqual({ fingerprint: initial, gateway_url: one.gateway_url, gateway_authentication: given })
})

test.each([
  [
    sandbox(),
    { gateway_authentication: { key: 'x' } },
    422,
    'invalid_gateway_authentication',
    '/gateway_authentication/key',
  ],
  [
    httpProvider(),
    { gateway_authentication: {} },
    422,
    'invalid_gateway_authentication',
    '/gateway_authentication/key_id',
  ],
  [
    stripe(),
    { gateway_authentication: { secret_key: 'sk_live_12345678' } },
    422,
    'invalid_gateway_authentication',
    '/gateway_authentication/secret_key',
  ],
  [httpProvider(), { gateway_url: null }, 400, 'invalid_request', '/gateway_url'],
  [stripe(), { settings: { publishable_key: 'pk_live_51Hx' } }, 400, 'invalid_request', '/settings/publishable_key'],
  [httpProvider(), { gateway_url: 'https://127.0.0.1' }, 422, 'destination_not_allowed', '/gateway_url'],
  [httpProvider(), { name: 'x', mode: 'test' }, 400, 'invalid_request', '/mode'],
  [httpProvider(), { is_default: true, status: 'inactive' }, 400, 'invalid_request', '/is_default'],
])('of %j, rejects the change %j, names the field and changes nothing', async (body, change, status, code, pointer) => {
  const of = await world.unit()
  const one = await created(of, body)
  const reply = await of.tenant.patch(`${of.orchestrators}/${one.id}`, change)
  expect(outcome(reply)).toEqual([status, code])
  expect(reply.body.errors[0].pointer).toBe(pointer)
  expect((await of.tenant.get(`${of.orchestrators}/${one.id}`)).body).toEqual(one)
  expect(await world.events(of.tenantId)).toHaveLength(2)
})

test.each([httpProvider(), stripe()])('stored credentials are not sent to another gateway_url: %j', async (body) => {
  const of = await world.unit()
  const one = await created(of, body)
  const path = `${of.orchestrators}/${one.id}`
  const gateway_url = 'https://other.acme.com'
  const refused = await of.tenant.patch(path, { gateway_url })
  expect(outcome(refused)).toEqual([400, 'invalid_request'])
  expect(refused.body.errors).toMatchObject([{ pointer: '/gateway_authentication' }])
  expect((await of.tenant.patch(path, { gateway_url: one.gateway_url })).status).toBe(200)
  const { gateway_authentication } = body
  expect((await of.tenant.patch(path, { gateway_url, gateway_authentication })).body.gateway_url).toBe(gateway_url)
})

test.each(['iframe_url', 'tokenizer_url'])(
  'another %s requires the credentials again; its removal does not',
  async (field) => {
    const of = await world.unit()
    const body = httpProvider({ [field]: 'https://cards.bank.example.com/page' })
    const one = await created(of, body)
    const path = `${of.orchestrators}/${one.id}`
    const foreign = { [field]: 'https://attacker.example.net/page' }
    const refused = await of.tenant.patch(path, foreign)
    expect(outcome(refused)).toEqual([400, 'invalid_request'])
    expect(refused.body.errors).toEqual([
      { pointer: '/gateway_authentication', detail: `is required when ${field} changes` },
    ])
    expect((await of.tenant.get(path)).body).toEqual(one)
    expect((await of.tenant.patch(path, { [field]: body[field as keyof typeof body] })).status).toBe(200)
    expect((await of.tenant.patch(path, { [field]: null })).body[field]).toBeNull()
    expect(outcome(await of.tenant.patch(path, foreign))).toEqual([400, 'invalid_request'])
    const { gateway_authentication } = body
    expect((await of.tenant.patch(path, { ...foreign, gateway_authentication })).status).toBe(200)
  },
)

test.each([[{ is_default: false }], [{ status: 'inactive' }]])(
  'the default is last_default_orchestrator and stays with %j',
  async (change) => {
    const of = await world.unit()
    const one = await created(of, sandbox())
    const reply = await of.tenant.patch(`${of.orchestrators}/${one.id}`, change)
    expect(outcome(reply)).toEqual([409, 'last_default_orchestrator'])
    expect((await of.tenant.get(`${of.orchestrators}/${one.id}`)).body).toEqual(one)
    expect(await world.events(of.tenantId)).toHaveLength(2)
  },
)

test('a new default replaces the current one: one event for each', async () => {
  const of = await world.unit()
  const [first, second] = [await created(of, sandbox()), await created(of, sandbox())]
  const changed = await of.tenant.patch(`${of.orchestrators}/${second.id}`, { is_default: true })
  const { body: previous } = await of.tenant.get(`${of.orchestrators}/${first.id}`)
  expect([changed.body.is_default, previous.is_default, previous.version]).toEqual([true, false, 2])
  const events = (await world.events(of.tenantId)).slice(3)
  expect(events.map(({ payload }) => payload.payment_orchestrator)).toEqual([previous, changed.body])
  expect((await of.tenant.patch(`${of.orchestrators}/${first.id}`, { status: 'inactive' })).status).toBe(200)
})

test('one that becomes active while no other one is becomes the default', async () => {
  const of = await world.unit()
  const one = await created(of, sandbox({ status: 'inactive' }))
  const changed = await of.tenant.patch(`${of.orchestrators}/${one.id}`, { status: 'active', is_default: false })
  expect(changed.body).toMatchObject({ status: 'active', is_default: true })
  const other = await created(of, sandbox({ status: 'inactive' }))
  const later = await of.tenant.patch(`${of.orchestrators}/${other.id}`, { status: 'active' })
  expect(later.body).toMatchObject({ status: 'active', is_default: false })
})

test('ten become the default at once: one default remains, and every version has its event', async () => {
  const of = await world.unit()
  const made = await Promise.all(Array.from({ length: 10 }, () => created(of, sandbox())))
  const replies = await Promise.all(
    made.map(({ id }) => of.tenant.patch(`${of.orchestrators}/${id}`, { is_default: true })),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const { body } = await of.tenant.get(of.orchestrators)
  expect(body.data.filter((one: { is_default: boolean }) => one.is_default)).toHaveLength(1)
  const versions = body.data.reduce((sum: number, one: { version: number }) => sum + one.version, 0)
  expect(await world.events(of.tenantId)).toHaveLength(1 + versions)
})

test('a deleted one is payment_orchestrator_deleted; a foreign or unknown one is not found', async () => {
  const [of, other] = [await world.unit(), await world.unit()]
  const one = await created(of, sandbox())
  const codes = async (change: object) => [
    outcome(await of.tenant.patch(`${of.orchestrators}/${one.id}`, change))[1],
    outcome(await other.tenant.patch(`${of.orchestrators}/${one.id}`, change))[1],
    outcome(await other.tenant.patch(`${other.orchestrators}/${one.id}`, change))[1],
    outcome(await of.tenant.patch(`${of.orchestrators}/${randomUUID()}`, change))[1],
  ]
  await of.tenant.delete(`${of.orchestrators}/${one.id}`)
  const [missing, unknown] = ['payment_orchestrator_not_found', 'business_unit_not_found']
  const expected = ['payment_orchestrator_deleted', unknown, missing, missing]
  expect(await codes({ name: 'x' })).toEqual(expected)
  expect(await codes({ gateway_authentication: {} })).toEqual(expected)
  expect(await world.events(of.tenantId)).toHaveLength(3)
})
