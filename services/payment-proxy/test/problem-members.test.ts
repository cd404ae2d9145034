import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ProblemDefinition, problemBody } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const known: Readonly<Record<string, ProblemDefinition>> = problems
const standard = Object.keys(problemBody.shape)

/** Each problem with members, and a request that gets it. */
const requests: Record<string, () => Promise<{ body: Record<string, unknown> }>> = {
  external_reference_taken: async () => {
    const tenant = world.tenant()
    await tenant.create({ external_reference: 'x' })
    return tenant.create({ external_reference: 'x' })
  },
  payment_declined: () => world.tenant().authorize('insufficient_funds'),
  provider_unreachable: () => world.tenant().authorize('unreachable'),
  invalid_transaction_state: async () => {
    const tenant = world.tenant()
    return tenant.capture((await tenant.create()).body.id)
  },
  amount_exceeds_capturable: async () => {
    const { tenant, id } = await world.authorized()
    return tenant.capture(id, { amount: 999_999 })
  },
  amount_exceeds_refundable: async () => {
    const { tenant, id } = await world.authorized()
    await tenant.capture(id)
    return tenant.refund(id, { amount: 999_999 })
  },
}

test.each(Object.entries(requests))('%s has the documented members and no other', async (code, send) => {
  const { body } = await send()
  expect(body['code']).toBe(code)
  const own = Object.fromEntries(Object.entries(body).filter(([name]) => !standard.includes(name)))
  const members = known[code]?.members
  if (members === undefined) throw new Error(`${code} has no members`)
  expect(members.strict().safeParse(own).error).toBeUndefined()
})

test('every problem of payments with members has its request', () => {
  const withMembers = Object.values(known).filter(({ members }) => members !== undefined)
  expect(withMembers.map(({ code }) => code).sort()).toEqual(Object.keys(requests).sort())
})
