import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openBank, waitingPayment } from './bank.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('shows the amount, changes nothing, and permits the form to lead back', async () => {
  const { tenant, bank } = await waitingPayment(world)
  const page = await bank.show()
  expect([page.status, page.text.includes('100.00 EUR')]).toEqual([200, true])
  expect(page.policy).toContain("form-action 'self' https://shop.example.com;")
  expect((await tenant.ledger())[0]?.state).toBe('action_required')
})

test('has no page for an unknown challenge, and none with a form once the payment has ended', async () => {
  const unknown = openBank(world, `https://pay.payments.test/pay/sandbox-bank/${randomUUID()}`)
  expect((await unknown.show()).status).toBe(404)
  const { tenant, id, bank } = await waitingPayment(world)
  await tenant.void(id)
  const page = await bank.show()
  expect([page.status, page.text.includes('<form')]).toEqual([410, false])
})

test('leads a payer back who has decided, as after the Back button', async () => {
  const { bank } = await waitingPayment(world)
  const [, location] = await bank.decide('confirm')
  expect(await bank.show()).toMatchObject({ status: 303, location })
})
