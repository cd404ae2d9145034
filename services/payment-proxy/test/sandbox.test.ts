import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const declines = [
  ['declined', 'card_declined', false],
  ['do_not_honor', 'do_not_honor', false],
  ['insufficient_funds', 'insufficient_funds', true],
  ['expired_card', 'expired_card', false],
  ['incorrect_cvc', 'incorrect_cvc', false],
  ['lost_or_stolen', 'lost_or_stolen', false],
  ['suspected_fraud', 'suspected_fraud', false],
  ['issuer_unavailable', 'issuer_unavailable', true],
  ['processing_error', 'processing_error', true],
] as const

test.each(declines)('the token %s is declined with %s', async (token, decline_code, retryable) => {
  const tenant = world.tenant()
  const reply = await tenant.authorize(token)
  expect(reply.status).toBe(402)
  expect(reply.body).toMatchObject({ code: 'payment_declined', decline_code, retryable })
  expect(await tenant.ledger()).toMatchObject([{ type: 'authorize', state: 'declined' }])
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed'])
})

const codes = [
  ['05', 'do_not_honor'],
  ['51', 'insufficient_funds'],
  ['54', 'expired_card'],
  ['59', 'suspected_fraud'],
  ['91', 'issuer_unavailable'],
  ['96', 'processing_error'],
] as const

describe.each(['authorize', 'capture', 'refund'] as const)('%s by amount', (verb) => {
  const faultyAmount = (code: string) =>
    Number(`${{ authorize: '4000', capture: '4100', refund: '4200' }[verb]}${code}`)
  const send = async (code: string) => {
    const tenant = world.tenant()
    const amount = faultyAmount(code)
    if (verb === 'authorize') return { tenant, reply: await tenant.authorize('visa', { amount }) }
    const { id } = (await tenant.authorize('visa', { amount, capture: verb === 'refund' })).body
    return { tenant, reply: await tenant[verb](id, { amount }) }
  }

  test.each(codes)('%s is declined with %s', async (code, decline_code) => {
    const { reply } = await send(code)
    expect([reply.status, reply.body.decline_code]).toEqual([402, decline_code])
  })

  test.each([
    ['68', 'succeeded'],
    ['69', 'not_attempted'],
  ])('%s times out, and a sync finds it %s', async (code, state) => {
    const { tenant, reply } = await send(code)
    expect([reply.status, reply.body.pending_operation.state]).toEqual([202, 'unknown'])
    const { body } = await tenant.sync(reply.body.id)
    expect(body.operations.at(-1)).toMatchObject({ type: verb, state })
  })

  test('another amount succeeds', async () => {
    const { reply } = await send('00')
    expect([200, 201]).toContain(reply.status)
  })
})

test('another card does not fail by amount', async () => {
  expect((await world.tenant().authorize('mastercard', { amount: 400_005 })).status).toBe(201)
})

test('amount_mismatch and unknown_forever stay unknown after syncs', async () => {
  const reasons = { amount_mismatch: /^the provider reported \d+\.\d\d EUR instead of \d/, unknown_forever: /./ }
  for (const [token, reason] of Object.entries(reasons)) {
    const tenant = world.tenant()
    const { status, body } = await tenant.authorize(token)
    expect([status, body.pending_operation.state]).toEqual([202, 'unknown'])
    const synced = await tenant.sync(body.id)
    expect([synced.status, synced.body.pending_operation.state]).toEqual([202, 'unknown'])
    expect(synced.body.operations.at(-1).open_reason).toMatch(reason)
    expect(await tenant.eventTypes()).toEqual(['create'])
  }
})
