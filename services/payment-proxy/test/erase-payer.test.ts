import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { acceptErasure } from '@payments/payer-erasure/consumer'
import { eraseFromOutbox, eraseFromReplies } from '@payments/payer-erasure/copies'
import { erasureTurns, runErasures } from '@payments/payer-erasure/run-erasures'
import { erasureJob } from '../src/erasure/steps.ts'
import { startWorld } from './world.ts'

type World = Awaited<ReturnType<typeof startWorld>>

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Tenant = ReturnType<World['tenant']>

const accept = (tenant: Tenant, recipient: string, requestedAt = new Date()) =>
  acceptErasure(world.db, {
    tenant_id: tenant.id,
    trace_id: randomUUID(),
    payload: { erasure_id: randomUUID(), recipient, requested_at: requestedAt.toISOString() },
  })
/** A run has a bounded number of batches, and the erasures of other tests take turns with it. */
async function run(): Promise<void> {
  await runErasures({ ...world.deps, payerHashKeys: null }, erasureTurns(), erasureJob)
  const due = await world.rows('SELECT 1 FROM payer_erasures WHERE due_at <= clock_timestamp() LIMIT 1')
  if (due.length > 0) await run()
}
const secondPassIsDue = (tenant: Tenant) =>
  world.rows('UPDATE payer_erasures SET due_at = now() WHERE tenant_id = $1::uuid', tenant.id)

const paid = async (tenant: Tenant, customer: object, body: object = {}) =>
  (await tenant.authorize('visa', { customer_details: customer, ...body })).body as Transaction
const read = async (tenant: Tenant, id: string) => (await tenant.read(id)).body as Transaction

/** The tables of the database in which a row of the tenant names the text. */
async function tablesWith(tenant: Tenant, text: string): Promise<string[]> {
  const tables = await world.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name`,
  )
  const sql = (name: string) =>
    `SELECT 1 FROM "${name}" AS t WHERE tenant_id = $1::uuid AND strpos(lower(t::text), lower($2)) > 0 LIMIT 1`
  const found = await Promise.all(tables.map(({ name }) => world.rows(sql(name), tenant.id, text)))
  return tables.filter((_, index) => found[index]?.length === 1).map(({ name }) => name)
}

test('erases the customer from transactions, events and stored replies, and leaves the books as they are', async () => {
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
  const reports = (await world.events(tenant.id)).filter(({ type }) => type === 'payment-proxy.payers.erased')
  expect(reports.map(({ payload }) => payload)).toMatchObject([
    { service: 'payment-proxy', resource_ids: [mine.id] },
    { resource_ids: [], is_last: true },
  ])
  expect(await tablesWith(tenant, email)).toEqual(['payer_erasures'])
  expect(await tablesWith(tenant, 'Ada Byron')).toEqual([])
  await secondPassIsDue(tenant)
  await run()
  expect(await tablesWith(tenant, email)).toEqual([])
  expect(await tablesWith(tenant, other)).toEqual(expect.arrayContaining(['transactions', 'outbox_events']))
})

test('a repeated request gets the stored reply without the customer', async () => {
  const tenant = world.tenant()
  const email = `repeat.${randomUUID()}@example.com`
  const [body, key] = [{ customer_details: { email } }, randomUUID()]
  const first = await tenant.create(body, key)
  await accept(tenant, email)
  await run()
  const repeated = await tenant.create(body, key)
  expect(repeated.body).toEqual({ ...first.body, customer_details: null })
})

test('data that the tenant sends after the request stays, in both passes and when the event arrives late', async () => {
  const tenant = world.tenant()
  const email = `new.${randomUUID()}@example.com`
  const [key, body] = [randomUUID(), { customer_details: { email } }]
  const { id } = (await tenant.create(body, key)).body as Transaction
  const before = new Date(Date.now() - 60 * 60_000)
  await accept(tenant, email, before)
  await run()
  await secondPassIsDue(tenant)
  await run()
  expect((await read(tenant, id)).customer_details).toEqual({ email })
  expect((await tenant.create(body, key)).body).toMatchObject({ id, customer_details: { email } })
  expect(await tablesWith(tenant, email)).toEqual(expect.arrayContaining(['outbox_events', 'transactions']))
})

test('copies of a transaction from before the request are erased, also those that were written after it', async () => {
  const tenant = world.tenant()
  const email = `old.${randomUUID()}@example.com`
  const { id } = await paid(tenant, { email })
  const hourAgo = `now() - interval '1 hour'`
  await world.rows(`UPDATE transactions SET created_at = ${hourAgo} WHERE id = $1::uuid`, id)
  await world.rows(
    `UPDATE outbox_events SET payload = jsonb_set(payload, '{transaction,created_at}', to_jsonb(${hourAgo}))
     WHERE tenant_id = $1::uuid AND payload ? 'transaction'`,
    tenant.id,
  )
  await accept(tenant, email, new Date(Date.now() - 30 * 60_000))
  await run()
  expect((await read(tenant, id)).customer_details).toBeNull()
  expect(await tablesWith(tenant, email)).toEqual(['payer_erasures'])
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
  expect(await tablesWith(tenant, recipient)).toEqual(['payer_erasures'])
})

test('more transactions than one batch are erased in batches, each reported once, also by ten runs at once', async () => {
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
  const reports = (await world.events<{ resource_ids: string[]; is_last: boolean }>(tenant.id)).filter(
    ({ type }) => type === 'payment-proxy.payers.erased',
  )
  const ids = reports.flatMap(({ payload }) => payload.resource_ids)
  expect([ids.length, new Set(ids).size]).toEqual([451, 451])
  expect(reports.filter(({ payload }) => payload.is_last)).toHaveLength(1)
  expect(await tablesWith(tenant, email)).toEqual(['payer_erasures'])
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
      if (statements > 4) throw new Error('two turns of each tenant')
      return world.db.acrossTenants(work)
    }) as World['db']['acrossTenants'],
  }
  await expect(runErasures({ db, log: world.deps.log, payerHashKeys: null }, turns, erasureJob)).rejects.toThrow(
    'two turns',
  )
  expect((await read(one, mine.id)).customer_details).toBeNull()
  const [left] = await world.rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM transactions WHERE tenant_id = $1::uuid AND customer_details IS NOT NULL',
    many.id,
  )
  expect(left?.count).toBe(9_600)
})

/** The rows that each batch of `erase` changed: those that do not name the text any more. */
async function batchesOf(tenant: Tenant, email: string, table: string, erase: typeof eraseFromOutbox) {
  const payer = { tenantId: tenant.id, address: email, createdUntil: new Date(Date.now() + 30_000) }
  const left = async () => {
    const [row] = await world.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} AS t WHERE tenant_id = $1::uuid AND strpos(t::text, $2) > 0`,
      tenant.id,
      email,
    )
    return row?.count ?? 0
  }
  const counts: number[] = []
  let position: string | null = null
  do {
    const before = await left()
    const batch = await world.db.acrossTenants((tx) => erase(tx, { ...payer, position }))
    position = batch.position
    counts.push(before - (await left()))
  } while (position !== null)
  return { counts: counts.filter((count) => count > 0), left: await left() }
}

test('a payer with more copies than one batch is erased from all, a hundred of them in a transaction', async () => {
  const tenant = world.tenant()
  const email = `copies.${randomUUID()}@example.com`
  await tenant.create({ customer_details: { email } }, randomUUID())
  for (const [table, key] of [
    ['outbox_events', 'id'],
    ['idempotency_keys', 'key'],
  ])
    await world.rows(
      `INSERT INTO ${table} SELECT
         (jsonb_populate_record(NULL::${table}, to_jsonb(t) || jsonb_build_object('${key}', gen_random_uuid()))).*
       FROM (SELECT * FROM ${table} AS t WHERE tenant_id = $1::uuid AND strpos(t::text, $2) > 0 LIMIT 1) AS t,
         generate_series(1, 249)`,
      tenant.id,
      email,
    )
  const outbox = await batchesOf(tenant, email, 'outbox_events', eraseFromOutbox)
  const replies = await batchesOf(tenant, email, 'idempotency_keys', eraseFromReplies)
  expect(outbox).toEqual({ counts: [100, 100, 50], left: 0 })
  expect(replies).toEqual({ counts: [100, 100, 50], left: 0 })
})

test('an erasure that fails is due again later, and delays no other one of its tenant', async () => {
  const tenant = world.tenant()
  const [failing, other] = [`failing.${randomUUID()}@example.com`, `other.${randomUUID()}@example.com`]
  const [mine, theirs] = [await paid(tenant, { email: failing }), await paid(tenant, { email: other })]
  await accept(tenant, failing)
  await accept(tenant, other)
  const fails: typeof erasureJob = {
    ...erasureJob,
    steps: [
      (tx, erasure) => {
        if (erasure.address === failing) throw new Error('a row that cannot be erased')
        return erasureJob.steps[0]?.(tx, erasure) ?? Promise.reject(new Error('no step'))
      },
    ],
  }
  await runErasures({ ...world.deps, payerHashKeys: null }, erasureTurns(), fails)
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
  await secondPassIsDue(tenant)
  await runErasures({ ...world.deps, payerHashKeys: null }, erasureTurns(), fails)
  expect(await waits(2)).toHaveLength(1)
  await secondPassIsDue(tenant)
  await run()
  expect((await read(tenant, mine.id)).customer_details).toBeNull()
  expect(await waits(0)).toHaveLength(1)
})

test('rejects another payload, and names no value of it', async () => {
  const tenant = world.tenant()
  const rejected = acceptErasure(world.db, {
    tenant_id: tenant.id,
    trace_id: randomUUID(),
    payload: { recipient: 'ada@example.com' },
  })
  await expect(rejected).rejects.toMatchObject({ code: 'invalid_request', cause: undefined })
})
