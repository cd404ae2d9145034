import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { acceptErasure, erasePayers, erasureTurns } from '@payments/service/payers/erasures'
import { transactionEraser } from '../src/erasure/transactions.ts'
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

test('a payer is found after more rows than one scan reads, by an export and by an erasure', async () => {
  const tenant = world.tenant()
  const email = `last.${randomUUID()}@example.com`
  const { id } = await paid(tenant, { email: 'other@example.com' })
  await world.rows(
    `INSERT INTO transactions SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'external_reference', null))).*
     FROM transactions t, generate_series(1, 5100) WHERE t.id = $1::uuid`,
    id,
  )
  const [last] = await world.rows<{ id: string }>(
    `UPDATE transactions SET customer_details = jsonb_build_object('email', $2::text)
     WHERE id = (SELECT max(id::text)::uuid FROM transactions WHERE tenant_id = $1::uuid) RETURNING id::text`,
    tenant.id,
    email,
  )
  const path = `/internal/tenants/${tenant.id}/payers/export`
  const { data, next_after } = (await world.asOperator.post(path, { recipient: email }).expect(200)).body
  expect([data.map((one: Transaction) => one.id), next_after]).toEqual([[last?.id], null])
  const payload = { erasure_id: randomUUID(), recipient: email, requested_at: new Date().toISOString() }
  const deps = { ...world.deps, payerHashKeys: null }
  await acceptErasure(deps, { tenant_id: tenant.id, trace_id: randomUUID(), payload })
  await world.rows(
    "UPDATE payer_erasures SET due_at = now() - interval '1 second' WHERE tenant_id = $1::uuid",
    tenant.id,
  )
  await erasePayers(deps, erasureTurns(), transactionEraser)
  expect((await tenant.read(last?.id ?? '')).body.customer_details).toBeNull()
})
