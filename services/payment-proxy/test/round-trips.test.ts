import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { fewestRoundTrips } from '@payments/testing/database/round-trips'
import { startWorld, type TestTenant } from './world.ts'

/** Two of the round trips of an authorization go to the ledger of the sandbox and to the business unit. */
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
})
