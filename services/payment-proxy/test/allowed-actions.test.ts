import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type TestTenant, type World } from './world.ts'

/** Each of `allowed_actions` succeeds, in every state that a transaction can have. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const actions = ['complete', 'capture', 'void', 'refund'] as const
type Make = (tenant: TestTenant) => Promise<string>

const captured: Make = async (tenant) => (await tenant.authorize('visa', { capture: true })).body.id
const declined = async (tenant: TestTenant, count: number) => {
  const { id } = (await tenant.create()).body
  for (let done = 0; done < count; done += 1) await tenant.complete(id, 'declined')
  return id as string
}
const after =
  (make: Make, action: 'capture' | 'void' | 'refund', body?: object): Make =>
  async (tenant) => {
    const id = await make(tenant)
    expect((await tenant[action](id, body)).status).toBe(200)
    return id
  }
const authorized: Make = async (tenant) => (await tenant.authorize()).body.id

const states: [string, readonly string[], Make][] = [
  ['pending', ['complete', 'void'], async (tenant) => (await tenant.create()).body.id],
  ['failed', ['complete', 'void'], (tenant) => declined(tenant, 1)],
  ['failed', ['void'], (tenant) => declined(tenant, 11)],
  ['voided', [], after((tenant) => declined(tenant, 1), 'void')],
  ['authorized', ['capture', 'void'], authorized],
  ['voided', [], after(authorized, 'void')],
  ['partially_captured', ['capture', 'void', 'refund'], after(authorized, 'capture', { amount: 4_000 })],
  ['captured', ['refund'], captured],
  ['partially_refunded', ['refund'], after(captured, 'refund', { amount: 4_000 })],
  ['refunded', [], after(captured, 'refund')],
]

test.each(states)(
  'a transaction that is %s allows %j: each succeeds, and each other is rejected',
  async (status, allowed, make) => {
    for (const action of actions) {
      const tenant = world.tenant()
      const id = await make(tenant)
      expect((await tenant.read(id)).body.status).toBe(status)
      const reply = await tenant[action](id)
      const rejected = { status: 409, code: 'invalid_transaction_state', allowed_actions: allowed }
      const { status: code, body } = reply
      if (allowed.includes(action)) expect([action, code]).toEqual([action, 200])
      else expect({ status: code, code: body.code, allowed_actions: body.allowed_actions }).toEqual(rejected)
    }
  },
)
