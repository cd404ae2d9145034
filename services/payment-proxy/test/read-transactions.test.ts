import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { holdLock } from '@payments/testing/database/held-lock'
import { createApp } from '../src/app.ts'
import type { Prisma } from '../src/generated/client.ts'
import type { Database, Tx } from '../src/store/database.ts'
import { asInviteToPay, invitedTransaction } from './invitations.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The database, in which `work` runs between the query of transactions and the query of their operations. */
function between(work: () => Promise<void>): Database {
  const wrapped = (tx: Tx): Tx => {
    const queryRaw = async (query: Prisma.Sql) => {
      if (query.sql.includes('FROM operations')) await work()
      return tx.$queryRaw(query)
    }
    return new Proxy(tx, { get: (target, name) => (name === '$queryRaw' ? queryRaw : Reflect.get(target, name)) })
  }
  const { db } = world.deps
  return { ...db, inTenant: (tenantId, run, isolation) => db.inTenant(tenantId, (tx) => run(wrapped(tx)), isolation) }
}

describe('readTransaction', () => {
  test('returns the transaction as its last change returned it, and writes nothing', async () => {
    const tenant = world.tenant()
    const created = (await tenant.create({ external_reference: 'order-1', metadata: { table: 4 } })).body
    expect((await tenant.read(created.id)).body).toEqual(created)
    const completed = (await tenant.complete(created.id, 'visa', { capture: true })).body
    const { status, body } = await tenant.read(created.id)
    expect([status, body]).toEqual([200, completed])
    expect((await tenant.read(created.id)).body).toEqual(body)
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture'])
  })

  test.each(['read', 'list'] as const)('%s returns no state in which the transaction never was', async (how) => {
    const { tenant, id } = await world.authorized()
    const before = (await tenant.read(id)).body
    const captures: Promise<unknown>[] = []
    const captureOnce = async () => {
      if (captures.length === 0) captures.push(tenant.capture(id).then((reply) => reply))
      await captures[0]
    }
    const reading = tenant.through(createApp({ ...world.deps, db: between(captureOnce) }))
    const body = how === 'read' ? (await reading.read(id)).body : (await reading.list()).body.data[0]
    expect(body).toEqual(before)
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', version: before.version + 2 })
  })

  test('responds transaction_not_found to an unknown id, and to the id of an operation', async () => {
    const { tenant, id } = await world.authorized()
    const [operation] = (await tenant.read(id)).body.operations
    for (const unknown of [randomUUID(), operation.id]) {
      const reply = await tenant.read(unknown)
      expect([reply.status, reply.body.code]).toEqual([404, 'transaction_not_found'])
    }
  })
})

describe('operations of a transaction', () => {
  test('name the request that started each of them, and the key', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    const { headers } = await tenant.refund(id, { amount: 1 })
    const { body } = await tenant.read(id)
    const [authorize, capture, refund] = body.operations
    expect(authorize.actor).toMatchObject({ type: 'api_key', id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect([capture.actor, capture.trace_id]).toEqual([authorize.actor, authorize.trace_id])
    expect([refund.actor, refund.trace_id]).toEqual([authorize.actor, headers['trace-id']])
    expect((await tenant.operations(id)).body.data).toEqual(body.operations.toReversed())
    const events = (await tenant.events()).map(({ payload }) => payload.operation)
    expect(events.at(-1)).toMatchObject({ trace_id: refund.trace_id, actor: refund.actor })
  })
})

describe('findTransaction', () => {
  test('returns the transaction with its operations', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    await payer.pay(id)
    const reply = await payer.find(id)
    expect([reply.status, reply.body]).toEqual([200, (await tenant.read(id)).body])
  })

  test('sees a payment that began to start before', async () => {
    const { tenant, id, payer } = await invitedTransaction(world)
    const lock = await holdLock(
      world.database.ownerUrl,
      'SELECT 1 FROM transactions WHERE tenant_id = $1::uuid FOR UPDATE',
      tenant.id,
    )
    const payment_id = randomUUID()
    const paying = payer.pay(id, { payment_id }).then((reply) => reply)
    await lock.untilWaiting(1)
    const finding = payer.find(id).then((reply) => reply)
    await lock.untilWaiting(2)
    await lock.release()
    expect((await finding).body.operations).toMatchObject([{ id: payment_id }])
    expect((await paying).status).toBe(200)
  })

  test('responds transaction_not_found to an unknown transaction, and to one of another tenant', async () => {
    const { id } = await invitedTransaction(world)
    const stranger = asInviteToPay(world, world.tenant())
    for (const one of [randomUUID(), id]) {
      expect(outcome(await stranger.find(one))).toEqual([404, 'transaction_not_found'])
    }
  })
})

describe('listTransactions', () => {
  test('pages newest first, stays correct while rows are added, and shows one tenant only', async () => {
    const tenant = world.tenant()
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) ids.unshift((await tenant.create()).body.id)
    const first = (await tenant.list('?limit=2')).body
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
    await tenant.create()
    const second = (await tenant.list(`?limit=3&cursor=${first.next_cursor}`)).body
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2))
    expect(second.next_cursor).toBeNull()
    expect((await world.tenant().list()).body).toEqual({ data: [], next_cursor: null })
  })

  test('filters by business unit and external reference, and shows the operations of each', async () => {
    const tenant = world.tenant()
    const { body } = await tenant.authorize('visa', { external_reference: 'find me' })
    const other = randomUUID()
    await tenant.storeUnit({}, other)
    await tenant.create({ business_unit_id: other, external_reference: 'find me' })
    const found = await tenant.list(`?business_unit_id=${tenant.businessUnitId}&external_reference=find%20me`)
    expect(found.body.data).toEqual([body])
  })

  test('filters by status, payment orchestrator, time of creation and amount', async () => {
    const tenant = world.tenant()
    const created = (await tenant.create({ amount: 500 })).body
    const failed = (await tenant.authorize('declined')).body.transaction_id
    const authorized = (await tenant.authorize('visa', { amount: 700 })).body
    const captured = (await tenant.authorize('visa', { capture: true })).body
    const refunded = (await tenant.authorize('visa', { capture: true })).body
    await tenant.refund(refunded.id)
    const part = (await tenant.authorize()).body
    await tenant.capture(part.id, { amount: 1 })
    const voided = (await tenant.authorize()).body
    await tenant.void(voided.id)
    expect(await listIds(tenant, 'status=pending')).toEqual([created.id])
    expect(await listIds(tenant, 'status=failed')).toEqual([failed])
    expect(await listIds(tenant, 'status=authorized')).toEqual([authorized.id])
    expect(await listIds(tenant, 'status=captured')).toEqual([captured.id])
    expect(await listIds(tenant, 'status=refunded')).toEqual([refunded.id])
    expect(await listIds(tenant, 'status=partially_captured')).toEqual([part.id])
    expect(await listIds(tenant, 'status=voided')).toEqual([voided.id])
    expect(await listIds(tenant, 'amount_min=500&amount_max=700')).toEqual([authorized.id, created.id])
    expect(await listIds(tenant, 'amount_max=699')).toEqual([created.id])
    const { created_at: at } = authorized
    expect(await listIds(tenant, `created_before=${at}`)).toEqual([failed, created.id])
    expect(await listIds(tenant, `created_after=${at}&status=authorized`)).toEqual([authorized.id])
    expect(await listIds(tenant, `created_after=${at}&search=${authorized.id}`)).toEqual([authorized.id])
    expect(await listIds(tenant, `created_before=${at}&search=${authorized.id}`)).toEqual([])
    expect(await listIds(tenant, `payment_orchestrator_id=${tenant.paymentOrchestratorId}`)).toHaveLength(7)
    expect(await listIds(tenant, `payment_orchestrator_id=${randomUUID()}`)).toEqual([])
    expect((await tenant.list('?status=unknown')).body.errors).toMatchObject([{ pointer: '/query/status' }])
  })

  test('filters by the state of the open operation, together with other filters, page by page', async () => {
    const tenant = world.tenant()
    await tenant.authorize()
    const unknown: string[] = []
    for (let i = 0; i < 3; i += 1) unknown.unshift((await tenant.authorize('timeout_applied')).body.id)
    const pending = (await tenant.authorize('pending')).body.id
    expect(await listIds(tenant, 'pending_state=unknown')).toEqual(unknown)
    expect(await listIds(tenant, 'pending_state=pending')).toEqual([pending])
    expect(await listIds(tenant, 'pending_state=in_progress')).toEqual([])
    expect(await listIds(tenant, 'pending_state=needs_review')).toEqual([])
    expect(await listIds(tenant, 'pending_state=unknown&status=captured')).toEqual([])
    expect(await listIds(tenant, `pending_state=unknown&business_unit_id=${tenant.businessUnitId}`)).toEqual(unknown)
    const { body: first } = await tenant.list('?pending_state=unknown&limit=2')
    const { body: second } = await tenant.list(`?pending_state=unknown&limit=2&cursor=${first.next_cursor}`)
    const { next_cursor: end } = second
    expect([[...first.data, ...second.data].map(({ id }) => id), end]).toEqual([unknown, null])
    expect(await listIds(world.tenant(), 'pending_state=unknown')).toEqual([])
    world.advanceClock(24 * 60 * 60 * 1_000)
    expect(await listIds(tenant, 'pending_state=needs_review')).toEqual([pending, ...unknown])
    await tenant.sync(pending)
    expect(await listIds(tenant, 'pending_state=needs_review')).toEqual(unknown)
    expect(await listIds(tenant, 'pending_state=pending')).toEqual([pending])
    expect(await listIds(tenant, 'pending_state=unknown')).toEqual([])
    const { body: wrong } = await tenant.list('?pending_state=succeeded')
    expect(wrong.errors).toMatchObject([{ pointer: '/query/pending_state' }])
  })

  test('finds transactions by the start of their reference or of their id', async () => {
    const tenant = world.tenant()
    const create = async (reference: string) => (await tenant.create({ external_reference: reference })).body.id
    const first = await create('Order-1')
    const second = await create('Order-12')
    const hostile = await create('50%_off\\')
    const last = await create('Order-\u{10FFFD}x')
    expect(await listIds(tenant, 'search=Order-1')).toEqual([second, first])
    expect(await listIds(tenant, 'search=Order-')).toEqual([last, second, first])
    expect(await listIds(tenant, 'search=order-')).toEqual([])
    expect(await listIds(tenant, 'search=50%25_')).toEqual([hostile])
    expect(await listIds(tenant, 'search=%25')).toEqual([])
    expect(await listIds(tenant, `search=${first}`)).toEqual([first])
    expect(await listIds(tenant, `search=${second.slice(0, 6).toUpperCase()}`)).toEqual([last, hostile, second, first])
    expect(await listIds(tenant, 'search=Order-1&external_reference=Order-12')).toEqual([second])
    const { body: page } = await tenant.list('?search=Order-&limit=1')
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([last])
    expect(await listIds(tenant, `search=Order-&cursor=${page.next_cursor}`)).toEqual([second, first])
    expect(await listIds(world.tenant(), 'search=Order-1')).toEqual([])
    expect((await tenant.list('?search=')).body.errors).toMatchObject([{ pointer: '/query/search' }])
  })
})

const listIds = async (tenant: TestTenant, query: string): Promise<string[]> =>
  (await tenant.list(`?${query}`)).body.data.map(({ id }: { id: string }) => id)
