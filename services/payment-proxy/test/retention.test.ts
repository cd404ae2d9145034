import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { redactOldRows } from '@payments/service/payers/retention'
import { retainedTransactions } from '../src/erasure/transactions.ts'
import { startWorld } from './world.ts'

let world: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('redacts customers of old transactions, paid or not, unless they can be captured or have an open operation', async () => {
  const tenant = world.tenant()
  const read = async (id: string) => (await tenant.read(id)).body as Transaction
  const email = `old.${randomUUID()}@example.com`
  const customer = { customer_details: { email } }
  const captured = () => tenant.authorize('visa', { ...customer, capture: true })
  const readId = ({ body }: Awaited<ReturnType<typeof captured>>) =>
    (body as Transaction).id ?? (body as { transaction_id: string }).transaction_id
  const old = readId(await captured())
  const changed = readId(await captured())
  const young = readId(await captured())
  const authorized = readId(await tenant.authorize('visa', customer))
  const open = readId(await tenant.authorize('pending', { ...customer, capture: true }))
  const unpaid = ((await tenant.create(customer)).body as Transaction).id
  const age = (id: string, column: string) =>
    world.rows(`UPDATE transactions SET ${column} = ${column} - interval '400 days' WHERE id = $1::uuid`, id)
  for (const id of [old, changed, authorized, open, unpaid]) await age(id, 'created_at')
  for (const id of [old, authorized, open, unpaid]) await age(id, 'updated_at')
  const redact = async (days: number) =>
    (await redactOldRows(world.deps, retainedTransactions, { days, now: new Date(), after: null })).redacted
  expect([await redact(0), await redact(399), await redact(399)]).toEqual([0, 2, 0])
  for (const id of [old, unpaid]) expect((await read(id)).customer_details).toBeNull()
  for (const id of [changed, young, authorized, open]) expect((await read(id)).customer_details).toEqual({ email })
})
