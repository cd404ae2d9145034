import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { startWorld, type TestTenant, type World } from './world.ts'

/**
 * Random histories of one transaction, with the ledger of the sandbox as the oracle: declines, lost responses, crashes
 * around the provider request, concurrent requests, retries with the same key, sweeps. In every history the recorded
 * operations match the ledger, every operation ends once, and every end has one event.
 */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const leaseMs = 20_000
const tokens = [
  'visa',
  'declined',
  'unreachable',
  'pending',
  'timeout_applied',
  'timeout_not_applied',
  'capture_declined',
  'capture_timeout_applied',
  'capture_timeout_not_applied',
  'refund_declined',
  'refund_timeout_applied',
  'refund_timeout_not_applied',
  'void_declined',
] as const

const amount = fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined })
const move = fc.oneof(
  fc.record({ do: fc.constant('complete' as const), token: fc.constantFrom(...tokens), capture: fc.boolean() }),
  fc.record({ do: fc.constant('capture' as const), amount, final_capture: fc.boolean() }),
  fc.record({ do: fc.constant('refund' as const), amount }),
  fc.record({ do: fc.constant('void' as const) }),
)
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never
type Caller = ReturnType<TestTenant['through']>

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ how: fc.constant('once' as const), move }) },
  { weight: 2, arbitrary: fc.record({ how: fc.constant('repeated with its key' as const), move }) },
  { weight: 1, arbitrary: fc.record({ how: fc.constant('three at once' as const), move }) },
  { weight: 1, arbitrary: fc.record({ how: fc.constantFrom('before' as const, 'after' as const), move }) },
  { weight: 2, arbitrary: fc.record({ how: fc.constantFrom('sync' as const, 'sweep' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function send(caller: Caller, id: string, requested: Move, key?: string) {
  const { do: verb, ...rest } = requested
  if (requested.do === 'complete') return caller.complete(id, requested.token, { capture: requested.capture }, key)
  return caller[verb as 'capture'](id, rest, key)
}

async function take(tenant: TestTenant, id: string, one: Step, index: number): Promise<void> {
  const key = `step-${index}`
  switch (one.how) {
    case 'once':
      return check([await send(tenant, id, one.move)])
    case 'repeated with its key':
      return check([await send(tenant, id, one.move, key), await send(tenant, id, one.move, key)])
    case 'three at once':
      return check(await Promise.all([1, 2, 3].map((n) => send(tenant, id, one.move, `${key}-${n % 2}`))))
    case 'before':
    case 'after':
      return check([await send(tenant.through(world.crashing(one.how)), id, one.move, key)], 500)
    case 'sync':
      return check([await tenant.sync(id)])
    case 'sweep':
      return sweep()
  }
}

function check(replies: readonly { status: number }[], alsoAllowed = 200): void {
  for (const { status } of replies) expect([200, 202, 402, 409, 422, 502, alsoAllowed]).toContain(status)
}

async function sweep(): Promise<void> {
  world.advanceClock(leaseMs + 1_000)
  while ((await world.settleOpen()) > 0);
}

const ended = ['succeeded', 'declined', 'not_attempted']

async function checkRecords(tenant: TestTenant, id: string): Promise<void> {
  const { body } = await tenant.read(id)
  expect(body.pending_operation).toBeNull()
  const sumOf = (type: string) =>
    body.operations
      .filter((one: { type: string; state: string }) => one.type === type && one.state === 'succeeded')
      .reduce((sum: number, one: { amount: number }) => sum + one.amount, 0)
  expect(body.amount_authorized).toBe(sumOf('authorize'))
  expect(body.amount_captured).toBe(sumOf('capture'))
  expect(body.amount_refunded).toBe(sumOf('refund'))
  expect(body.amount_voided).toBeGreaterThanOrEqual(sumOf('void'))
  expect(body.amount_capturable).toBe(body.amount_authorized - body.amount_captured - body.amount_voided)
  const [columns] = await world.rows(
    `SELECT amount_authorized::int, amount_captured::int, amount_refunded::int, amount_voided::int FROM transactions WHERE id = $1::uuid`,
    id,
  )
  expect(body).toMatchObject(columns ?? {})

  // A void before an authorization makes no provider request.
  const effects = (rows: Awaited<ReturnType<TestTenant['recorded']>>) =>
    rows.filter(({ state, amount: moved }) => (state === 'succeeded' || state === 'declined') && moved > 0n)
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
  expect(effects(await tenant.recorded()).sort(byId)).toEqual(effects(await tenant.ledger()).sort(byId))
}

async function checkEvents(tenant: TestTenant): Promise<void> {
  const recorded = await world.rows<{ id: string; state: string; stage: string | null }>(
    'SELECT id::text, state::text, stage::text FROM operations WHERE tenant_id = $1::uuid',
    tenant.id,
  )
  expect(recorded.filter(({ state }) => !ended.includes(state))).toEqual([])
  const emitted = (await tenant.events()).slice(1)
  const expected = recorded.filter(({ state, stage }) => stage !== 'authorize' || state !== 'succeeded')
  expect(emitted.map(({ payload }) => String(payload.operation?.['id'])).sort()).toEqual(
    expected.map(({ id }) => id).sort(),
  )
  const versions = emitted.map(({ payload }) => payload.version)
  expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other))
}

test('in every history, the recorded operations match the ledger', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const tenant = world.tenant()
      const { id } = (await tenant.create()).body
      // Otherwise most histories would have nothing to capture or refund.
      await tenant.complete(id, steps.length % 2 === 0 ? 'refund_timeout_applied' : 'declined')
      for (const [index, one] of steps.entries()) await take(tenant, id, one, index)
      for (let i = 0; i < 3; i += 1) await sweep()
      await checkRecords(tenant, id)
      await checkEvents(tenant)
    }),
    { numRuns: 40 },
  )
}, 120_000)
