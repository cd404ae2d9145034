import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, statuses, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const hourMs = 60 * 60 * 1_000
const dayMs = 24 * 60 * 60 * 1_000
const resolve = (
  tenant: Pick<TestTenant, 'send'>,
  { id, operations }: { id: string; operations: { id: string }[] },
  outcome: string,
  note = 'Seen in the report',
) =>
  tenant.send('post', `/v1/payment-proxy/transactions/${id}/operations/${operations.at(-1)?.id}/resolve`, {
    outcome,
    note,
  })

/** A transaction with an operation that has been unknown for a day. */
async function inReview(body: object = {}) {
  const tenant = world.tenant()
  const unknown = (await tenant.authorize('unknown_forever', body)).body
  world.advanceClock(dayMs)
  return { tenant, unknown }
}

describe('resolveOperation', () => {
  test.each([
    ['succeeded', 'authorized', 'authorize'],
    ['declined', 'failed', 'authorize.failed'],
    ['not_attempted', 'pending', 'authorize.failed'],
  ])(
    '%s: records outcome, author and note, changes the amounts and emits the event',
    async (outcome, status, event) => {
      const { tenant, unknown } = await inReview()
      const reply = await resolve(tenant, unknown, outcome)
      expect([reply.status, reply.body.status, reply.body.pending_operation]).toEqual([200, status, null])
      const resolution = { outcome, note: 'Seen in the report', resolved_by: expect.stringMatching(/^api_key:/) }
      expect(reply.body.operations).toMatchObject([{ state: outcome, resolution }])
      expect(await tenant.eventTypes()).toEqual(['create', event])
      expect((await tenant.events()).at(-1)?.payload.operation).toMatchObject({ resolution })
      const again = await resolve(tenant, unknown, outcome, 'Another note')
      expect([again.status, again.body]).toEqual([200, reply.body])
      expect(await tenant.eventTypes()).toHaveLength(2)
    },
  )

  test('an authorization with capture that is resolved as succeeded is captured', async () => {
    const { tenant, unknown } = await inReview({ capture: true })
    const reply = await resolve(tenant, unknown, 'succeeded')
    expect(reply.body.operations).toMatchObject([{ state: 'succeeded' }, { type: 'capture' }])
    expect((await tenant.eventTypes()).at(-1)).toMatch(/^authorize\.and\.capture/)
  })

  test('a pending operation without a report of the provider for a day can be resolved', async () => {
    const tenant = world.tenant()
    const pending = (await tenant.authorize('pending')).body
    await tenant.storeUnit({ orchestrators: [] })
    world.advanceClock(dayMs - hourMs)
    expect((await tenant.sync(pending.id)).body.pending_operation.state).toBe('pending')
    expect((await resolve(tenant, pending, 'declined')).body.code).toBe('operation_not_in_review')
    world.advanceClock(hourMs)
    expect((await tenant.sync(pending.id)).body.pending_operation.state).toBe('needs_review')
    expect((await tenant.list('?pending_state=needs_review')).body.data).toMatchObject([{ id: pending.id }])
    const reply = await resolve(tenant, pending, 'succeeded')
    expect([reply.status, reply.body.status]).toEqual([200, 'authorized'])
    expect((await tenant.eventTypes()).at(-1)).toBe('authorize')
  })

  test('a pending operation that the provider reports as pending is not in review, however old', async () => {
    const tenant = world.tenant()
    const pending = (await tenant.authorize('pending')).body
    world.advanceClock(3 * dayMs)
    const review = (await tenant.read(pending.id)).body
    expect(review.pending_operation.state).toBe('needs_review')
    const { body } = await tenant.sync(pending.id)
    expect([body.pending_operation.state, body.version]).toEqual(['pending', review.version + 1])
    expect((await resolve(tenant, pending, 'succeeded')).body.code).toBe('operation_not_in_review')
  })

  test('records one outcome when ten requests arrive at once', async () => {
    const { tenant, unknown } = await inReview()
    const outcomes = ['succeeded', 'declined']
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => resolve(tenant, unknown, outcomes[index % 2] ?? '')),
    )
    expect(statuses(replies)).toEqual({ 200: 5, 409: 5 })
    expect(await tenant.eventTypes()).toHaveLength(2)
  })

  test('responds 409 to an operation that is not in review, and 404 to an unknown one', async () => {
    const tenant = world.tenant()
    const unknown = (await tenant.authorize('unknown_forever')).body
    const done = (await tenant.authorize()).body
    for (const one of [unknown, done]) {
      const early = await resolve(tenant, one, 'succeeded')
      expect([early.status, early.body.code]).toEqual([409, 'operation_not_in_review'])
    }
    const missing = await resolve(tenant, { ...done, operations: [{ id: randomUUID() }] }, 'succeeded')
    expect([missing.status, missing.body.code]).toEqual([404, 'operation_not_found'])
    const foreign = await resolve(world.tenant(), unknown, 'succeeded')
    expect([foreign.status, foreign.body.code]).toEqual([404, 'transaction_not_found'])
  })
})
