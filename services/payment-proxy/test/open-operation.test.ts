import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import { createProvider } from '../src/connectors/provider.ts'
import { settleOpenOperations } from '../src/verbs/settle-open-operations.ts'
import { heldProvider, startWorld, type World } from './world.ts'

const secondMs = 1_000
const dayMs = 24 * 60 * 60 * 1_000
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const lastOperation = (body: { operations: Record<string, unknown>[] }) => body.operations.at(-1)

describe('a lost response', () => {
  test.each([
    ['timeout_applied', 'authorized', 'succeeded', 'authorize'],
    ['timeout_not_applied', 'pending', 'not_attempted', 'authorize.failed'],
  ])('%s: 202 unknown, then the sweeper reads the outcome', async (token, status, state, event) => {
    const tenant = world.tenant()
    const { status: code, body } = await tenant.authorize(token)
    expect([code, body.status, body.pending_operation.state]).toEqual([202, 'pending', 'unknown'])
    expect(await tenant.eventTypes()).toEqual(['create'])
    await world.settleOpen()
    expect((await tenant.read(body.id)).body.pending_operation?.state).toBe('unknown')
    world.advanceClock(11 * secondMs)
    await world.settleOpen()
    const settled = (await tenant.read(body.id)).body
    expect(settled).toMatchObject({ status, pending_operation: null })
    expect(lastOperation(settled)).toMatchObject({ state, attempt_count: 2 })
    expect(await tenant.eventTypes()).toEqual(['create', event])
  })

  test('responds 202 after the time-out, and rejects other operations until the outcome is known', async () => {
    const tenant = world.tenant()
    let executed: Promise<unknown> = Promise.resolve()
    // Executes the operation and never responds: only the time-out ends the wait.
    const silent: typeof world.sandbox = {
      ...world.sandbox,
      authorize: (command) => {
        executed = world.sandbox.authorize(command, new AbortController().signal)
        return new Promise(() => {})
      },
    }
    const app = createApp({ ...world.deps, provider: createProvider(silent, 50, world.deps.log) })
    const { status, body } = await tenant.through(app).authorize('visa')
    await executed
    expect([status, body.pending_operation.state]).toEqual([202, 'unknown'])
    for (const rejected of [
      await tenant.complete(body.id),
      await tenant.capture(body.id),
      await tenant.void(body.id),
    ]) {
      expect([rejected.status, rejected.body.code]).toEqual([409, 'operation_in_progress'])
    }
    const synced = await tenant.sync(body.id)
    expect([synced.status, synced.body.status]).toEqual([200, 'authorized'])
    expect(await tenant.ledger()).toHaveLength(1)
  })

  test.each(['capture', 'refund'] as const)(
    'of a %s: applied or not, the recorded operations match the ledger',
    async (verb) => {
      for (const applied of [true, false]) {
        const tenant = world.tenant()
        const token = `${verb}_timeout_${applied ? '' : 'not_'}applied`
        const { id } = (await tenant.authorize(token)).body
        if (verb === 'refund') await tenant.capture(id)
        const unknown = await tenant[verb](id, { amount: 4_000 })
        expect([unknown.status, lastOperation(unknown.body)]).toMatchObject([202, { type: verb, state: 'unknown' }])
        const { body } = await tenant.sync(id)
        expect(body[`amount_${verb}${verb === 'refund' ? 'ed' : 'd'}`]).toBe(applied ? 4_000 : 0)
        expect((await tenant.eventTypes()).at(-1)).toBe(applied ? verb : `${verb}.failed`)
        const done = ({ state }: { state: string }) => state === 'succeeded'
        expect((await tenant.recorded()).filter(done)).toEqual((await tenant.ledger()).filter(done))
      }
    },
  )

  test('an operation that is unknown for 24 h shows needs_review, and hourly syncs continue', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('timeout_applied')).body
    world.advanceClock(dayMs)
    expect((await tenant.read(id)).body.pending_operation.state).toBe('needs_review')
    await world.settleOpen()
    expect((await tenant.read(id)).body.status).toBe('authorized')
  })

  test('only the provider decides the outcome: a late request stays not received', async () => {
    const tenant = world.tenant()
    const { body } = await tenant.authorize('timeout_not_applied')
    await tenant.sync(body.id)
    const [operation] = body.operations
    const command = { tenantId: tenant.id, operationId: operation.id, amount: 10_000, currency: 'EUR' }
    const late = await world.sandbox.authorize(
      { ...command, token: 'tok_sandbox_visa', paymentMethod: 'CREDIT_CARD' },
      new AbortController().signal,
    )
    expect(late.kind).toBe('not_attempted')
  })
})

test('while a request waits for the provider, neither a sync nor the sweeper sends a request for its operation', async () => {
  const tenant = world.tenant()
  const provider = heldProvider(world.deps.provider)
  const app = createApp({ ...world.deps, provider })
  const running = tenant
    .through(app)
    .authorize('visa')
    .then((reply) => reply)
  await provider.reached
  const [{ id }] = (await tenant.list()).body.data
  const synced = await tenant.through(app).sync(id)
  await settleOpenOperations({ ...world.deps, provider })
  provider.respond()
  expect([synced.status, lastOperation(synced.body)]).toMatchObject([202, { state: 'in_progress', attempt_count: 1 }])
  expect(provider.requests.map(({ kind }) => kind.do)).toEqual(['authorize'])
  expect([(await running).status, (await tenant.sync(id)).status]).toEqual([201, 200])
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
})

test('one of ten concurrent syncs settles the operation, and all return its outcome', async () => {
  const tenant = world.tenant()
  const { id } = (await tenant.authorize('timeout_applied')).body
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.sync(id)))
  expect(replies.map(({ status, body }) => [status, body.status])).toEqual(Array(10).fill([200, 'authorized']))
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  expect(new Set(replies.map(({ body }) => body.version)).size).toBe(1)
})

test('responds 202 to a pending operation, which resolves at the second sync', async () => {
  const tenant = world.tenant()
  const { status, body } = await tenant.authorize('pending', { capture: true })
  expect([status, body.pending_operation.state]).toEqual([202, 'pending'])
  const once = await tenant.sync(body.id)
  expect([once.status, once.body.pending_operation.state]).toEqual([202, 'pending'])
  const twice = await tenant.sync(body.id)
  expect([twice.status, twice.body.status]).toEqual([200, 'captured'])
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture'])
  const again = await tenant.sync(body.id)
  expect([again.status, again.body.version]).toEqual([200, twice.body.version])
})

describe('a crash', () => {
  /** Resets an operation to its state before the outcome was recorded, as after a crash. */
  const resetOperation = (transactionId: string, number: number) =>
    world.rows(
      `UPDATE operations SET state = 'in_progress', completed_at = NULL, provider_reference = NULL, due_at = now() - interval '1 hour'
       WHERE transaction_id = $1::uuid AND number = $2`,
      transactionId,
      number,
    )
  const resetAmounts = (transactionId: string, set: string) =>
    world.rows(`UPDATE transactions SET ${set} WHERE id = $1::uuid`, transactionId)

  test('after the provider request: the sweeper reads the outcome', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize()).body
    await resetAmounts(id, 'amount_authorized = 0')
    await resetOperation(id, 1)
    await world.settleOpen()
    expect((await tenant.read(id)).body).toMatchObject({ status: 'authorized', amount_authorized: 10_000 })
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('between authorization and capture: the sweeper captures once', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    await resetAmounts(id, 'amount_captured = 0')
    await resetOperation(id, 2)
    await world.rows(`DELETE FROM sandbox_operations WHERE tenant_id = $1::uuid AND type = 'capture'`, tenant.id)
    await Promise.all([world.settleOpen(), world.settleOpen(), world.settleOpen()])
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_captured: 10_000 })
    expect(await tenant.ledger()).toHaveLength(2)
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('after the capture was executed: nothing is captured twice', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    await resetAmounts(id, 'amount_captured = 0')
    await resetOperation(id, 2)
    await world.settleOpen()
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_captured: 10_000 })
    expect(await tenant.ledger()).toHaveLength(2)
  })
})

describe('an expired authorization', () => {
  test('is voided with its reason, also at the provider', async () => {
    const tenant = world.tenant()
    const [untouched, part, spent] = await Promise.all([tenant.authorize(), tenant.authorize(), tenant.authorize()])
    await tenant.capture(part.body.id, { amount: 4_000 })
    await tenant.capture(spent.body.id)
    await world.releaseExpired()
    expect((await tenant.read(untouched.body.id)).body.status).toBe('authorized')
    world.advanceClock(7 * dayMs)
    while ((await world.releaseExpired()) > 0);
    const { body } = await tenant.read(untouched.body.id)
    expect(body).toMatchObject({ status: 'voided', amount_voided: 10_000 })
    expect(lastOperation(body)).toMatchObject({ type: 'void', reason: 'authorization_expired' })
    expect((await tenant.read(part.body.id)).body).toMatchObject({ status: 'captured', amount_voided: 6_000 })
    expect((await tenant.read(spent.body.id)).body.operations).toHaveLength(2)
    expect((await tenant.eventTypes()).filter((type) => type === 'void')).toHaveLength(2)
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
    expect((await tenant.recorded()).sort(byId)).toEqual((await tenant.ledger()).sort(byId))
  })

  test('is voided again only hourly when the provider declines the void', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('void_declined')).body
    world.advanceClock(7 * dayMs)
    while ((await world.releaseExpired()) > 0);
    expect((await tenant.read(id)).body.operations).toHaveLength(2)
    world.advanceClock(dayMs / 24)
    while ((await world.releaseExpired()) > 0);
    expect((await tenant.read(id)).body.operations).toHaveLength(3)
  })
})
