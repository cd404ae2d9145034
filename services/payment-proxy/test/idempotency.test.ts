import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import { heldProvider, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Act = (tenant: TestTenant, id: string, key: string) => ReturnType<TestTenant['read']>

const acts: Record<string, { given: 'nothing' | 'created' | 'authorized' | 'captured'; act: Act; status: number }> = {
  create: { given: 'nothing', status: 201, act: (tenant, _, key) => tenant.create({}, key) },
  authorize: { given: 'nothing', status: 201, act: (tenant, _, key) => tenant.authorize('visa', {}, key) },
  'authorize and capture': {
    given: 'nothing',
    status: 201,
    act: (tenant, _, key) => tenant.authorize('visa', { capture: true }, key),
  },
  complete: { given: 'created', status: 200, act: (tenant, id, key) => tenant.complete(id, 'visa', {}, key) },
  capture: { given: 'authorized', status: 200, act: (tenant, id, key) => tenant.capture(id, { amount: 1_000 }, key) },
  void: { given: 'authorized', status: 200, act: (tenant, id, key) => tenant.void(id, {}, key) },
  refund: { given: 'captured', status: 200, act: (tenant, id, key) => tenant.refund(id, { amount: 1_000 }, key) },
  'declined authorize': {
    given: 'nothing',
    status: 402,
    act: (tenant, _, key) => tenant.authorize('declined', {}, key),
  },
  'create with metadata in another order': {
    given: 'nothing',
    status: 201,
    act: (tenant, _, key) => tenant.create({ metadata: { zone: 'b', a: 1, bb: true } }, key),
  },
}

async function given(tenant: TestTenant, what: string): Promise<string> {
  if (what === 'nothing') return ''
  if (what === 'created') return (await tenant.create()).body.id
  return (await tenant.authorize('visa', { capture: what === 'captured' })).body.id
}

const textWithoutTrace = ({ text, body }: { text: string; body: { trace_id?: string } }) =>
  text.replace(body.trace_id ?? '', '')

describe.each(Object.entries(acts))('%s', (_name, { given: before, act, status }) => {
  test('a repeated request with one key is executed once and gets the same response', async () => {
    const tenant = world.tenant()
    const id = await given(tenant, before)
    const first = await act(tenant, id, 'key')
    const effects = [await tenant.recorded(), await tenant.eventTypes()]
    const second = await act(tenant, id, 'key')
    expect([first.status, second.status]).toEqual([status, status])
    expect(textWithoutTrace(second)).toBe(textWithoutTrace(first))
    expect([first.get('Idempotent-Replayed'), second.get('Idempotent-Replayed')]).toEqual([undefined, 'true'])
    expect([await tenant.recorded(), await tenant.eventTypes()]).toEqual(effects)
  })

  test('ten concurrent requests with one key are executed once', async () => {
    const tenant = world.tenant()
    const id = await given(tenant, before)
    const effectsBefore = (await tenant.recorded()).length
    const replies = await Promise.all(Array.from({ length: 10 }, () => act(tenant, id, 'key')))
    for (const reply of replies) {
      expect(reply.status === status || reply.body.code === 'idempotency_key_in_use').toBe(true)
      if (reply.status === 409) expect(reply.get('Retry-After')).toBe('1')
    }
    const again = await act(tenant, id, 'key')
    expect([again.status, again.get('Idempotent-Replayed')]).toEqual([status, 'true'])
    expect(await tenant.eventTypes()).toHaveLength(new Set((await tenant.events()).map((e) => JSON.stringify(e))).size)
    const steps = { create: 0, 'create with metadata in another order': 0, 'authorize and capture': 2 }[_name] ?? 1
    expect((await tenant.recorded()).length - effectsBefore).toBe(steps)
  })

  test('the same key of another tenant is independent', async () => {
    const [one, other] = [world.tenant(), world.tenant()]
    const first = await act(one, await given(one, before), 'key')
    const second = await act(other, await given(other, before), 'key')
    expect([first.status, second.status, second.get('Idempotent-Replayed')]).toEqual([status, status, undefined])
    expect(second.body.id ?? second.body.transaction_id).not.toBe(first.body.id ?? first.body.transaction_id)
  })
})

test('replays the first response, also after later operations', async () => {
  const tenant = world.tenant()
  const first = await tenant.authorize('visa', {}, 'key')
  expect((await tenant.capture(first.body.id)).body.status).toBe('captured')
  expect((await tenant.authorize('visa', {}, 'key')).body).toEqual(first.body)
  const declined = await tenant.authorize('declined', {}, 'other')
  await tenant.complete(declined.body.transaction_id)
  const again = await tenant.authorize('declined', {}, 'other')
  expect([again.status, again.body.operation_id]).toEqual([402, declined.body.operation_id])
})

test('rejects a key with another body or path, and executes nothing', async () => {
  const tenant = world.tenant()
  const { id } = (await tenant.authorize('visa', {}, 'key')).body
  for (const reply of [await tenant.authorize('visa', { amount: 1 }, 'key'), await tenant.capture(id, {}, 'key')]) {
    expect([reply.status, reply.body.code]).toEqual([422, 'idempotency_key_reused'])
  }
  expect(await tenant.recorded()).toHaveLength(1)
})

test('does not store a rejection: the key can be used for a valid request', async () => {
  const tenant = world.tenant()
  expect((await tenant.create({ currency: 'XYZ' }, 'key')).status).toBe(400)
  const { id } = (await tenant.create({}, 'key')).body
  expect((await tenant.capture(id, { amount: 5 }, 'capture')).body.code).toBe('invalid_transaction_state')
  await tenant.complete(id)
  expect((await tenant.capture(id, { amount: 5 }, 'capture')).status).toBe(200)
})

test('does not store an unreachable provider: the same key retries on the same transaction', async () => {
  const tenant = world.tenant()
  const first = await tenant.authorize('unreachable', { external_reference: 'once' }, 'key')
  const second = await tenant.authorize('unreachable', { external_reference: 'once' }, 'key')
  expect([first.status, second.status]).toEqual([502, 502])
  expect(second.get('Idempotent-Replayed')).toBeUndefined()
  expect(second.body.transaction_id).toBe(first.body.transaction_id)
  expect(second.body.operation_id).not.toBe(first.body.operation_id)
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed', 'authorize.failed'])
})

test('after an unknown outcome, a replay returns the current state', async () => {
  const tenant = world.tenant()
  const act = () => tenant.authorize('timeout_applied', {}, 'key')
  const first = await act()
  expect([first.status, first.body.pending_operation.state]).toEqual([202, 'unknown'])
  const second = await act()
  expect([second.status, second.get('Idempotent-Replayed')]).toEqual([202, 'true'])
  expect(second.body).toEqual(first.body)
  expect((await tenant.sync(first.body.id)).body.status).toBe('authorized')
  const third = await act()
  expect([third.status, third.body.status, third.get('Idempotent-Replayed')]).toEqual([201, 'authorized', 'true'])
  expect(await tenant.ledger()).toHaveLength(1)
})

test('after an unknown outcome, the first final replay is stored', async () => {
  const tenant = world.tenant()
  const act = () => tenant.authorize('timeout_applied', {}, 'key')
  const { id } = (await act()).body
  await tenant.sync(id)
  const first = await act()
  expect([first.status, first.body.status]).toEqual([201, 'authorized'])
  expect((await tenant.capture(id)).body.status).toBe('captured')
  const second = await act()
  expect([second.status, second.body]).toEqual([201, first.body])
})

test('while a request waits for the provider, only its own key is in use', async () => {
  const [tenant, other] = [world.tenant(), world.tenant()]
  const provider = heldProvider(world.deps.providerCalls)
  const app = createApp({ ...world.deps, providerCalls: provider })
  const running = tenant
    .through(app)
    .authorize('visa', {}, 'key')
    .then((reply) => reply)
  await provider.reached
  const replies = [
    await tenant.authorize('visa', {}, 'key'),
    await other.authorize('visa', {}, 'key'),
    await tenant.authorize('visa', {}, 'another'),
  ]
  provider.respond()
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'idempotency_key_in_use'],
    [201, undefined],
    [201, undefined],
  ])
  expect((await running).status).toBe(201)
  expect((await tenant.authorize('visa', {}, 'key')).get('Idempotent-Replayed')).toBe('true')
  expect(await tenant.ledger()).toHaveLength(2)
})
