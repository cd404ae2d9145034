import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { startWorld } from './world.ts'

type World = Awaited<ReturnType<typeof startWorld>>
type Tenant = ReturnType<World['tenant']>

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const paid = async (tenant: Tenant, customer: object) =>
  (await tenant.authorize('visa', { customer_details: customer })).body as Transaction

test('an export has the transactions of the payer with their operations, in pages', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const email = `export.${randomUUID()}@example.com`
  const [first, second] = [await paid(tenant, { email }), await paid(tenant, { email, phone: '+4930' })]
  await paid(tenant, { email: 'other@example.com' })
  await paid(stranger, { email })
  const exported = async (body: object) =>
    (await world.asOperator.post(`/internal/tenants/${tenant.id}/payers/export`, body).expect(200)).body
  const whole = await exported({ recipient: email })
  expect(whole.data.map(({ id }: Transaction) => id)).toEqual([first.id, second.id])
  expect(whole.data[0]).toMatchObject({ customer_details: { email }, operations: [{ type: 'authorize' }] })
  const page = await exported({ recipient: email, limit: 1 })
  expect(page.next_after).toBe(first.id)
  expect((await exported({ recipient: email, limit: 1, after: first.id })).data).toMatchObject([{ id: second.id }])
})
