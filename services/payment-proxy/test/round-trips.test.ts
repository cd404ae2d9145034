import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { fewestRoundTrips } from '@payments/testing/database/round-trips'
import { startWorld, type TestTenant } from './world.ts'

/** Two of the round trips of an authorization are those of the sandbox's ledger and of the business unit. */
const roundTripsMax = { create: 2, authorize: 4, capture: 8, refund: 8 }

let world: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const keyed = () => randomUUID()

describe('the round trips to the database, the ledger of the sandbox included', () => {
  let tenant: TestTenant
  beforeEach(async () => {
    tenant = world.tenant()
    world.takeLocks(false)
    await tenant.create()
  })

  test('createTransaction takes two at most', async () => {
    const create = async () => expect((await tenant.create({}, keyed())).status).toBe(201)
    expect(await fewestRoundTrips(create)).toBeLessThanOrEqual(roundTripsMax.create)
  })

  test('createAndAuthorizeTransaction takes four at most', async () => {
    const authorize = async () => expect((await tenant.authorize('visa', {}, keyed())).status).toBe(201)
    expect(await fewestRoundTrips(authorize)).toBeLessThanOrEqual(roundTripsMax.authorize)
  })

  test('captureTransaction and refundTransaction take eight at most', async () => {
    const { id } = (await tenant.authorize('visa')).body
    const capture = () => tenant.capture(id, { amount: 100 }, keyed())
    expect(await fewestRoundTrips(capture)).toBeLessThanOrEqual(roundTripsMax.capture)
    const refund = () => tenant.refund(id, { amount: 50 }, keyed())
    expect(await fewestRoundTrips(refund)).toBeLessThanOrEqual(roundTripsMax.refund)
    expect((await tenant.read(id)).body).toMatchObject({ amount_captured: 500, amount_refunded: 250 })
  })

  test('a step under locks writes the same rows and events as one by a statement', async () => {
    const history = async (isUnderLocks: boolean) => {
      world.takeLocks(isUnderLocks)
      const owner = world.tenant()
      // In the order of jsonb: the response to the statement repeats the order of the request.
      const draft = { external_reference: 'order', metadata: { a: 2, b: 1 } }
      const { id } = (await owner.authorize('visa', draft, keyed())).body
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
