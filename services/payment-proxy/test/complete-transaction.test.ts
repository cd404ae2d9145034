import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, statuses, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('completeTransaction', () => {
  test('captures when the transaction or the request requests capture', async () => {
    const tenant = world.tenant()
    const asCreated = (await tenant.create({ capture: true })).body
    expect((await tenant.complete(asCreated.id)).body.status).toBe('captured')
    const asRequested = (await tenant.create()).body
    expect((await tenant.complete(asRequested.id, 'visa', { capture: true })).body.status).toBe('captured')
    const otherwise = (await tenant.create({ capture: true })).body
    expect((await tenant.complete(otherwise.id, 'visa', { capture: false })).body.status).toBe('authorized')
    const cashier = tenant.by(['transaction:AuthorizeTransaction'])
    const rejected = await cashier.complete((await tenant.create({ capture: true })).body.id)
    expect([rejected.status, rejected.body.code]).toEqual([403, 'permission_denied'])
  })

  test('authorizes once when ten requests arrive at once', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.create()).body
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.complete(id, 'slow_100')))
    expect(statuses(replies)).toEqual({ 200: 1, 409: 9 })
    const codes = new Set(replies.map(({ body }) => body.code))
    expect(
      [...codes].every((code) => [undefined, 'operation_in_progress', 'invalid_transaction_state'].includes(code)),
    ).toBe(true)
    expect(await tenant.ledger()).toHaveLength(1)
  })

  test('allows ten further completions after a decline', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.create()).body
    for (let i = 0; i < 11; i += 1) expect((await tenant.complete(id, 'declined')).status).toBe(402)
    const rejected = await tenant.complete(id)
    expect([rejected.status, rejected.body.code]).toEqual([409, 'invalid_transaction_state'])
    expect(rejected.body.allowed_actions).toEqual(['void'])
  })
})
