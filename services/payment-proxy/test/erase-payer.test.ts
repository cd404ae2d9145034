import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { acceptErasure, erasePayers, erasureTurns } from '@payments/service/payers/erasures'
import { transactionEraser } from '../src/erasure/transactions.ts'
import { startWorld } from './world.ts'

type World = Awaited<ReturnType<typeof startWorld>>

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Tenant = ReturnType<World['tenant']>

/** Stores a request whose work is due, as a minute after it. */
async function accept(tenant: Tenant, recipient: string, requestedAt = new Date()): Promise<void> {
  await acceptErasure(
    { db: world.db, payerHashKeys: null },
    {
      tenant_id: tenant.id,
      trace_id: randomUUID(),
      payload: { erasure_id: randomUUID(), recipient, requested_at: requestedAt.toISOString() },
    },
  )
  await isDue(tenant)
}
const isDue = (tenant: Tenant) =>
  world.rows(
    "UPDATE payer_erasures SET due_at = now() - interval '1 second' WHERE tenant_id = $1::uuid AND due_at IS NOT NULL",
    tenant.id,
  )
/** A run has a bounded number of batches, and the erasures of other tests take turns with it. */
async function run(): Promise<void> {
  await erasePayers(world.deps, erasureTurns(), transactionEraser)
  const due = await world.rows('SELECT 1 FROM payer_erasures WHERE due_at <= clock_timestamp() LIMIT 1')
  if (due.length > 0) await run()
}
const reportsTo = async (tenant: Tenant) =>
  (await world.events(tenant.id)).flatMap(({ type, payload }) =>
    type === 'payment-proxy.payers.erased' ? [payload] : [],
  )
/** They are deleted a day after their publication, and after 7 days. */
const copies = new Set(['outbox_events', 'idempotency_keys'])

const paid = async (tenant: Tenant, customer: object, body: object = {}) =>
  (await tenant.authorize('visa', { customer_details: customer, ...body })).body as Transaction
const read = async (tenant: Tenant, id: string) => (await tenant.read(id)).body as Transaction

/** The tables of the database in which a row of the tenant names the text, without copies that expire. */
async function tablesWith(tenant: Tenant, text: string): Promise<string[]> {
  const tables = await world.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name`,
  )
  const sql = (name: string) =>
    `SELECT 1 FROM "${name}" AS t WHERE tenant_id = $1::uuid AND strpos(lower(t::text), lower($2)) > 0 LIMIT 1`
  const found = await Promise.all(tables.map(({ name }) => world.rows(sql(name), tenant.id, text)))
  return tables.flatMap(({ name }, index) => (found[index]?.length === 1 && !copies.has(name) ? [name] : []))
}

test('erases the customer from transactions, and leaves the books as they are', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const [email, other] = [`ada.${randomUUID()}@example.com`, 'other@example.com']
  const customer = { name: 'Ada Byron', email: email.toUpperCase(), phone: '+49 30 1234' }
  const metadata = { order: '4711' }
  const mine = await paid(tenant, customer, { capture: true, metadata, external_reference: `order-${randomUUID()}` })
  const theirs = await paid(tenant, { email: other })
  const foreign = await paid(stranger, { email })
  const before = await read(tenant, mine.id)
  await accept(tenant, email)
  await run()
  expect(await read(tenant, mine.id)).toEqual({ ...before, customer_details: null })
  expect((await read(tenant, theirs.id)).customer_details).toEqual({ email: other })
  expect((await read(stranger, foreign.id)).customer_details).toEqual({ email })
  expect(await reportsTo(tenant)).toMatchObject([{ service: 'payment-proxy', resources: 1 }])
  expect(await tablesWith(tenant, email)).toEqual([])
  expect(await tablesWith(tenant, 'Ada Byron')).toEqual([])
  expect(await tablesWith(tenant, other)).toEqual(['transactions'])
})

test('data that the tenant sends more than 30 seconds after the request stays, also when the event arrives late', async () => {
  const tenant = world.tenant()
  const email = `new.${randomUUID()}@example.com`
  const [before, during, after] = await Promise.all(Array.from({ length: 3 }, () => paid(tenant, { email })))
  const requestedAt = new Date(Date.now() - 60 * 60_000)
  const created = (id: string | undefined, seconds: number) =>
    world.rows(
      `UPDATE transactions SET created_at = $2::timestamptz + $3::int * interval '1 second' WHERE id = $1::uuid`,
      id,
      requestedAt,
      seconds,
    )
  await Promise.all([created(before?.id, -1), created(during?.id, 29), created(after?.id, 31)])
  await accept(tenant, email, requestedAt)
  await run()
  const left = await Promise.all(
    [before, during, after].map(async (one) => (await read(tenant, one?.id ?? '')).customer_details),
  )
  expect(left).toEqual([null, null, { email }])
})

test('the work begins a minute after the request, when each earlier request has committed', async () => {
  const tenant = world.tenant()
  const payload = { erasure_id: randomUUID(), recipient: 'later@example.com', requested_at: new Date().toISOString() }
  await acceptErasure({ db: world.db, payerHashKeys: null }, { tenant_id: tenant.id, trace_id: randomUUID(), payload })
  await erasePayers(world.deps, erasureTurns(), transactionEraser)
  expect(await reportsTo(tenant)).toEqual([])
  const due = await world.rows(
    `SELECT due_at - requested_at = interval '1 minute' AS "inAMinute" FROM payer_erasures WHERE tenant_id = $1::uuid`,
    tenant.id,
  )
  expect(due).toEqual([{ inAMinute: true }])
})

test.each([
  ['phone number', { phone: '+49 (30) 123-456' }, '+4930123456'],
  ['address with a tag', { email: 'ada+shop@example.com' }, 'Ada@Example.com'],
])('finds a customer by %s', async (_, customer, recipient) => {
  const tenant = world.tenant()
  const { id } = await paid(tenant, customer)
  await accept(tenant, recipient)
  await run()
  expect((await read(tenant, id)).customer_details).toBeNull()
})

test('erases the recipient of an invitation', async () => {
  const tenant = world.tenant()
  const recipient = `invited.${randomUUID()}@example.com`
  const invitation = {
    communication_type: 'EMAIL',
    recipient,
    communication_details: { payer_name: 'Ada' },
    return_url: 'https://shop.example.com/ada',
  }
  const { id } = (await tenant.create({ i2p: true, invitation })).body
  await accept(tenant, recipient)
  await run()
  expect((await read(tenant, id)).invitation).toMatchObject({
    recipient: 'erased',
    communication_details: {},
    return_url: null,
  })
  expect(await tablesWith(tenant, recipient)).toEqual([])
})

test('more transactions than one batch are erased in batches, and reported once, also by ten runs at once', async () => {
  const tenant = world.tenant()
  const email = `many.${randomUUID()}@example.com`
  const { id } = await paid(tenant, { email })
  await world.rows(
    `INSERT INTO transactions SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'external_reference', null))).*
     FROM transactions t, generate_series(1, 450) WHERE t.id = $1::uuid`,
    id,
  )
  await accept(tenant, email)
  await Promise.all(Array.from({ length: 10 }, run))
  await run()
  expect(await reportsTo(tenant)).toMatchObject([{ resources: 451 }])
  expect(await tablesWith(tenant, email)).toEqual([])
})

test('ten thousand erased transactions of one tenant do not delay the erasure of another', async () => {
  const [many, one] = [world.tenant(), world.tenant()]
  const email = `bulk.${randomUUID()}@example.com`
  const [{ id }, mine] = [await paid(many, { email }), await paid(one, { email })]
  await world.rows(
    `INSERT INTO transactions SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'external_reference', null))).*
     FROM transactions t, generate_series(1, 9999) WHERE t.id = $1::uuid`,
    id,
  )
  await accept(many, email)
  await accept(one, email)
  const turns = erasureTurns()
  let statements = 0
  const db = {
    ...world.db,
    acrossTenants: ((work) => {
      statements += 1
      if (statements > 3) throw new Error('three turns')
      return world.db.acrossTenants(work)
    }) as World['db']['acrossTenants'],
  }
  await expect(erasePayers({ db, log: world.deps.log }, turns, transactionEraser)).rejects.toThrow('three turns')
  expect((await read(one, mine.id)).customer_details).toBeNull()
  const [left] = await world.rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM transactions WHERE tenant_id = $1::uuid AND customer_details IS NOT NULL',
    many.id,
  )
  expect(left?.count).toBe(9_600)
})

test('an erasure that fails is due again later, and delays no other one of its tenant', async () => {
  const tenant = world.tenant()
  const [failing, other] = [`failing.${randomUUID()}@example.com`, `other.${randomUUID()}@example.com`]
  const [mine, theirs] = [await paid(tenant, { email: failing }), await paid(tenant, { email: other })]
  await accept(tenant, failing)
  await accept(tenant, other)
  const fails: typeof transactionEraser = {
    ...transactionEraser,
    eraseBatch: (tx, erasure) => {
      if (erasure.address === failing) throw new Error('a row that cannot be erased')
      return transactionEraser.eraseBatch(tx, erasure)
    },
  }
  await erasePayers(world.deps, erasureTurns(), fails)
  expect((await read(tenant, theirs.id)).customer_details).toBeNull()
  expect((await read(tenant, mine.id)).customer_details).toEqual({ email: failing })
  const waits = (failures: number) =>
    world.rows(
      `SELECT 1 FROM payer_erasures WHERE tenant_id = $1::uuid AND failures = $2::int
         AND due_at > created_at + $2::int * interval '1 minute'`,
      tenant.id,
      failures,
    )
  expect(await waits(1)).toHaveLength(1)
  await isDue(tenant)
  await erasePayers(world.deps, erasureTurns(), fails)
  expect(await waits(2)).toHaveLength(1)
  await isDue(tenant)
  await run()
  expect((await read(tenant, mine.id)).customer_details).toBeNull()
  expect(await reportsTo(tenant)).toMatchObject([{ resources: 1 }, { resources: 1 }])
})

test('rejects another payload, and names no value of it', async () => {
  const tenant = world.tenant()
  const rejected = acceptErasure(
    { db: world.db, payerHashKeys: null },
    { tenant_id: tenant.id, trace_id: randomUUID(), payload: { recipient: 'ada@example.com' } },
  )
  await expect(rejected).rejects.toMatchObject({ code: 'invalid_request', cause: undefined })
})
