import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { holdLock } from '@payments/testing/database/held-lock'
import { createApp } from '../src/app.ts'
import { heldProvider, startWorld, type TestTenant, type World } from './world.ts'

/**
 * Many concurrent requests with one Idempotency-Key. Every statement locks the transaction before the key, so no
 * deadlock occurs, and the request that executed the operation returns its outcome.
 */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Caller = ReturnType<TestTenant['through']>
type Act = (caller: Caller, id: string, key: string) => ReturnType<TestTenant['read']>

const verbs: Record<
  string,
  { given: 'nothing' | 'created' | 'authorized' | 'captured'; status: 200 | 201; act: Act; steps: number }
> = {
  authorize: { given: 'nothing', status: 201, steps: 1, act: (caller, _, key) => caller.authorize('visa', {}, key) },
  'authorize and capture': {
    given: 'nothing',
    status: 201,
    steps: 2,
    act: (caller, _, key) => caller.authorize('visa', { capture: true }, key),
  },
  complete: { given: 'created', status: 200, steps: 1, act: (caller, id, key) => caller.complete(id, 'visa', {}, key) },
  'complete and capture': {
    given: 'created',
    status: 200,
    steps: 2,
    act: (caller, id, key) => caller.complete(id, 'visa', { capture: true }, key),
  },
  capture: {
    given: 'authorized',
    status: 200,
    steps: 1,
    act: (caller, id, key) => caller.capture(id, { amount: 1_000 }, key),
  },
  void: { given: 'authorized', status: 200, steps: 1, act: (caller, id, key) => caller.void(id, {}, key) },
  'void before an authorization': {
    given: 'created',
    status: 200,
    steps: 0,
    act: (caller, id, key) => caller.void(id, {}, key),
  },
  refund: {
    given: 'captured',
    status: 200,
    steps: 1,
    act: (caller, id, key) => caller.refund(id, { amount: 1_000 }, key),
  },
}
const cases = Object.entries(verbs)

async function given(tenant: TestTenant, what: string): Promise<string> {
  if (what === 'nothing') return ''
  if (what === 'created') return (await tenant.create()).body.id
  return (await tenant.authorize('visa', { capture: what === 'captured' })).body.id
}

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

describe.each(cases.filter(([, { steps }]) => steps === 1))('%s', (_name, { given: before, act, status }) => {
  test.each(['before', 'after'])(
    'the request that executed the operation returns its outcome while another one is rejected %s the provider responds',
    async (order) => {
      const tenant = world.tenant()
      const id = await given(tenant, before)
      const provider = heldProvider(world.deps.providerCalls)
      const app = createApp({ ...world.deps, providerCalls: provider })
      const executing = act(tenant.through(app), id, 'key').then((reply) => reply)
      await provider.reached
      const lock = await holdLock(
        world.database.ownerUrl,
        'SELECT 1 FROM transactions WHERE tenant_id = $1::uuid FOR UPDATE',
        tenant.id,
      )
      const sendOther = async () => expect((await act(tenant, id, 'key')).body.code).toBe('idempotency_key_in_use')
      if (order === 'before') await sendOther()
      provider.respond()
      await lock.untilWaiting(1)
      if (order === 'after') await sendOther()
      await lock.release()
      expect((await executing).status).toBe(status)
      expect((await act(tenant, id, 'key')).get('Idempotent-Replayed')).toBe('true')
    },
  )
})

describe.each(cases)('%s', (_name, { given: before, act, status, steps }) => {
  test('50 concurrent requests with one key: executed once, and none responds 500', async () => {
    for (let round = 0; round < 4; round += 1) {
      const tenant = world.tenant()
      const id = await given(tenant, before)
      const ledgerBefore = (await tenant.ledger()).length
      const replies = await Promise.all(times(50, () => act(tenant, id, 'key')))
      const unexpected = replies.filter(
        (reply) => reply.status !== status && reply.body.code !== 'idempotency_key_in_use',
      )
      expect(unexpected.map((reply) => [reply.status, reply.body])).toEqual([])
      const again = await act(tenant, id, 'key')
      expect([again.status, again.get('Idempotent-Replayed')]).toEqual([status, 'true'])
      expect((await tenant.ledger()).length - ledgerBefore).toBe(steps)
    }
  })
})

test('50 concurrent requests of all verbs, with syncs and sweepers: no 500, and records match the ledger', async () => {
  for (let round = 0; round < 5; round += 1) {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa')).body
    await tenant.capture(id, { amount: 5_000 })
    const acts = [
      () => tenant.capture(id, { amount: 100 }, 'capture'),
      () => tenant.refund(id, { amount: 100 }, 'refund'),
      () => tenant.void(id, {}, 'void'),
      () => tenant.complete(id, 'visa', {}, 'complete'),
      () => tenant.authorize('visa', {}, 'authorize'),
      () => tenant.sync(id),
    ]
    const [replies] = await Promise.all([
      Promise.all(times(50, (index) => acts[index % acts.length]?.() ?? tenant.read(id))),
      ...times(3, () => world.resumeOpen()),
      ...times(3, () => world.releaseExpired()),
    ])
    expect(replies.filter((reply) => reply.status >= 500).map((reply) => reply.body)).toEqual([])
    expect(byId(await tenant.recorded())).toEqual(byId(await tenant.ledger()))
  }
})

test('50 concurrent requests with one key and different bodies: the key belongs to one of them', async () => {
  for (let round = 0; round < 3; round += 1) {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    const acts = [
      () => tenant.refund(id, { amount: 100 }, 'key'),
      () => tenant.refund(id, { amount: 200 }, 'key'),
      () => tenant.authorize('visa', {}, 'key'),
    ]
    const replies = await Promise.all(times(50, (index) => acts[index % acts.length]?.() ?? tenant.read(id)))
    const codes = replies.filter(({ status }) => status >= 400).map(({ body }) => body.code)
    expect(codes.filter((code) => !/^idempotency_key_(in_use|reused)$/.test(code))).toEqual([])
    expect(await tenant.ledger()).toHaveLength(3)
  }
})

const byId = <T extends { id: string }>(rows: readonly T[]) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
