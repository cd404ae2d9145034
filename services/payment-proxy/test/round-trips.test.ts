import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { roundTrips } from '@payments/chassis/database/session'
import { startWorld, type TestTenant } from './world.ts'

/** Two of the round trips of an authorization are those of the sandbox's ledger and of the business unit. */
const roundTripsMax = { create: 2, authorize: 4, capture: 8, refund: 8 }

let world: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const counted = async <R>(work: () => Promise<R>) => {
  const count = async () => (await roundTrips.get()).values[0]?.value ?? 0
  const before = await count()
  const reply = await work()
  return { reply, trips: (await count()) - before }
}
const keyed = () => randomUUID()

describe('the round trips to the database, the ledger of the sandbox included', () => {
  let tenant: TestTenant
  beforeEach(async () => {
    tenant = world.tenant()
    world.takeLocks(false)
    await tenant.create()
  })

  test('createTransaction takes two at most', async () => {
    const { reply, trips } = await counted(() => tenant.create({}, keyed()))
    expect([reply.status, trips <= roundTripsMax.create]).toEqual([201, true])
  })

  test('createAndAuthorizeTransaction takes four at most', async () => {
    const { reply, trips } = await counted(() => tenant.authorize('visa', {}, keyed()))
    expect([reply.status, trips <= roundTripsMax.authorize]).toEqual([201, true])
  })

  test('captureTransaction and refundTransaction take eight at most', async () => {
    const { id } = (await tenant.authorize('visa')).body
    const captured = await counted(() => tenant.capture(id, {}, keyed()))
    expect([captured.reply.status, captured.trips <= roundTripsMax.capture]).toEqual([200, true])
    const refunded = await counted(() => tenant.refund(id, {}, keyed()))
    expect([refunded.reply.status, refunded.trips <= roundTripsMax.refund]).toEqual([200, true])
  })

  test('a step under locks writes the same rows and events as one by a statement', async () => {
    const history = async (isUnderLocks: boolean) => {
      world.takeLocks(isUnderLocks)
      const owner = world.tenant()
      const { id } = (await owner.authorize('visa', { external_reference: 'order', metadata: { b: 1, a: 2 } })).body
      await owner.capture(id, {}, keyed())
      await owner.refund(id, { amount: 100 }, keyed())
      const rows = await world.rows<{ row: object }>(
        `SELECT to_jsonb(t) AS row FROM transactions t WHERE tenant_id = $1::uuid
         UNION ALL SELECT to_jsonb(o) FROM operations o WHERE tenant_id = $1::uuid
         UNION ALL SELECT to_jsonb(e) FROM outbox_events e WHERE tenant_id = $1::uuid
         UNION ALL SELECT to_jsonb(k) FROM idempotency_keys k WHERE tenant_id = $1::uuid`,
        owner.id,
      )
      return rows.map(({ row }) => JSON.stringify(row).replace(unique, '…')).sort()
    }
    const byStatement = await history(false)
    expect(byStatement.length).toBeGreaterThan(8)
    expect(byStatement).toEqual(await history(true))
  })
})

/** Ids, references of the sandbox, instants and sequences, which no two histories share. */
const unique =
  /[0-9a-f]{8}-[0-9a-f-]{27}|sbx_[0-9a-f]+|\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)|"sequence":\d+|"(fingerprint|key)":"[^"]*"/g
