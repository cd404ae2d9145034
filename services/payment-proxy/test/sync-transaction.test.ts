import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createSandboxAccount } from './sandbox-account.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('syncTransaction', () => {
  test('only the provider decides the outcome: a late request stays not received', async () => {
    const tenant = world.tenant()
    const { body } = await tenant.authorize('timeout_not_applied')
    await tenant.sync(body.id)
    const [operation] = body.operations
    const { id: tenantId, businessUnitId, paymentOrchestratorId } = tenant
    const account = createSandboxAccount({ tenantId, businessUnitId, paymentOrchestratorId })
    const ids = { account, operationId: operation.id, authorizationId: operation.id }
    const unknown = { startedAt: new Date(), authorizationReference: null, providerReference: null }
    const paymentDetails = { token: 'tok_sandbox_visa', paymentMethod: 'CREDIT_CARD', returnUrl: null } as const
    const amounts = { amount: 10_000, amountReleased: 0, currency: 'EUR' }
    const late = await world.sandbox.execute(
      { ...ids, ...unknown, ...amounts, type: 'authorize', paymentDetails },
      new AbortController().signal,
    )
    expect(late.kind).toBe('not_attempted')
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

  test('a transaction is not synced without end: each sync calls the provider', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('pending')).body
    const replies = await Promise.all(Array.from({ length: 25 }, () => tenant.sync(id)))
    const limited = replies.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    expect(limited[0]?.body.code).toBe('rate_limited')
    expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0)
    const other = (await tenant.authorize('pending')).body
    expect((await tenant.sync(other.id)).status).toBe(202)
  })

  test('syncs by hand do not put off the next one of the platform', async () => {
    const { tenant, id } = await world.authorized('unknown_forever')
    for (let i = 0; i < 6; i += 1) expect((await tenant.sync(id)).status).toBe(202)
    const due = 'SELECT due_at AS at FROM operations WHERE transaction_id = $1::uuid'
    const [operation] = await world.rows<{ at: Date }>(due, id)
    expect((operation?.at.getTime() ?? 0) - world.deps.now().getTime()).toBeLessThan(5 * 60_000)
  })

  test('the seven days of an authorization begin with it, also when its outcome is known later', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('timeout_applied')).body
    world.advanceClock(2 * 24 * 60 * 60 * 1_000)
    const { body } = await tenant.sync(id)
    const expiresInMs = Date.parse(body.authorization_expires_at) - Date.parse(body.operations[0].created_at)
    expect(expiresInMs).toBe(7 * 24 * 60 * 60 * 1_000)
  })
})
