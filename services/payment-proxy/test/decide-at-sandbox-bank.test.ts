import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openBank, return_url, waitingPayment } from './bank.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('leads back after a second decision, which changes nothing', async () => {
  const { tenant, id, bank } = await waitingPayment(world)
  await bank.decide('confirm')
  expect(await bank.decide('decline')).toEqual([303, return_url])
  expect((await tenant.sync(id)).body.status).toBe('authorized')
})

test('has no page for an unknown challenge', async () => {
  const bank = openBank(world, `https://pay.payments.test/pay/sandbox-bank/${randomUUID()}`)
  expect((await bank.show()).status).toBe(404)
  expect(await bank.decide('confirm')).toEqual([404, null])
})

test.each([
  ['another value', 'decision=maybe'],
  ['two values', 'decision=confirm&decision=decline'],
  ['nothing', ''],
])('rejects a form with %s', async (_case, form) => {
  const { tenant, bank } = await waitingPayment(world)
  expect(await bank.post(form)).toEqual([400, null])
  expect((await tenant.ledger())[0]?.state).toBe('action_required')
})

test('leads back to an address with characters that a header cannot have', async () => {
  const { bank } = await waitingPayment(world, 'challenge', { return_url: 'https://shop.example.com/注文?q=é' })
  const location = 'https://shop.example.com/%E6%B3%A8%E6%96%87?q=%C3%A9'
  expect(await bank.decide('confirm')).toEqual([303, location])
  expect(await bank.decide('confirm')).toEqual([303, location])
})

test.each([{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://shop.example.com' }])(
  'rejects a form of another site: %j',
  async (headers) => {
    const { tenant, bank } = await waitingPayment(world)
    expect(await bank.post('decision=confirm', headers)).toEqual([400, null])
    expect((await tenant.ledger())[0]?.state).toBe('action_required')
  },
)
