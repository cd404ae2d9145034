/** @slow It waits for the time-outs of production. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type BusinessUnitCopiesOptions, createBusinessUnitCopies } from '@payments/service/business-units/copies'
import { holdLock } from '@payments/testing/database/held-lock'
import { createApp } from '../src/app.ts'
import { createAccounts } from '../src/connectors/accounts.ts'
import type { ProviderCalls } from '../src/connectors/provider-calls.ts'
import { openDatabase } from '../src/store/database.ts'
import { startWorld, type World } from './world.ts'

/** The limits of the pool (5 s), of a statement and of a transaction (10 s) are as in production. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The service with one session for the copies of business units and everything else. */
function withOneSession() {
  const db = openDatabase(world.database.url, { connectionsMax: 1 })
  const client = {} as Parameters<typeof createAccounts>[0]['client'] & BusinessUnitCopiesOptions['client']
  const units = createBusinessUnitCopies({ db, client })
  const provider = world.createTestProvider(world.sandbox, { accounts: createAccounts({ units, client }) })
  return { db, deps: { ...world.deps, db, units, providerCalls: provider } }
}

type Reply = { status: number; headers: Record<string, string>; body: { code: string; detail: string } }

function expectUnavailable(reply: Reply): void {
  expect([reply.status, reply.body.code]).toEqual([503, 'service_unavailable'])
  expect(reply.headers['retry-after']).toBe('1')
  expect(reply.body.detail).toMatch('with its Idempotency-Key')
}

const lockTransactions = 'SELECT 1 FROM transactions WHERE tenant_id = $1::uuid FOR UPDATE'

describe('an overloaded database is a 503 with Retry-After that changes nothing:', () => {
  test('no session in time', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    const db = openDatabase(world.database.url, { connectionsMax: 1 })
    const busy = tenant.through(createApp({ ...world.deps, db }))
    const lock = await holdLock(world.database.ownerUrl, lockTransactions, tenant.id)
    const waiting = busy.refund(id, { amount: 100 }, 'first').then((reply) => reply)
    await lock.untilWaiting(1)
    expectUnavailable(await busy.refund(id, { amount: 100 }, 'second'))
    await lock.release()
    expect((await waiting).status).toBe(200)
    expect((await busy.refund(id, { amount: 100 }, 'second')).status).toBe(200)
    expect((await tenant.read(id)).body.amount_refunded).toBe(200)
    await db.close()
  }, 30_000)

  test('no session in time for a new payment', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    const { db, deps } = withOneSession()
    const busy = tenant.through(createApp(deps))
    const lock = await holdLock(world.database.ownerUrl, lockTransactions, tenant.id)
    const waiting = busy.refund(id, { amount: 100 }).then((reply) => reply)
    await lock.untilWaiting(1)
    expectUnavailable(await busy.authorize('visa', {}, 'key'))
    await lock.release()
    expect((await waiting).status).toBe(200)
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture', 'refund'])
    expect((await busy.authorize('visa', {}, 'key')).status).toBe(201)
    await db.close()
  }, 30_000)

  test('a lock that is not released in time', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize()).body
    const lock = await holdLock(world.database.ownerUrl, lockTransactions, tenant.id)
    expectUnavailable(await tenant.capture(id, {}, 'key'))
    await lock.release()
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
    expect((await tenant.capture(id, {}, 'key')).body.status).toBe('captured')
  }, 30_000)

  test('conflicts in each attempt of the transaction', async () => {
    const tenant = world.tenant()
    await world.rows(`CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$`)
    await world.rows(`CREATE TRIGGER conflict BEFORE INSERT ON transactions FOR EACH ROW
      WHEN (NEW.tenant_id = '${tenant.id}') EXECUTE FUNCTION conflict()`)
    expectUnavailable(await tenant.create({}, 'key'))
    await world.rows('DROP TRIGGER conflict ON transactions')
    expect(await tenant.events()).toEqual([])
    expect((await tenant.create({}, 'key')).status).toBe(201)
  })
})

test('a started payment reaches the provider while no session is free', async () => {
  const tenant = world.tenant()
  const { id } = (await tenant.authorize('visa', { capture: true })).body
  const { db, deps } = withOneSession()
  const lock = await holdLock(world.database.ownerUrl, lockTransactions, tenant.id)
  const other = tenant.through(createApp(deps))
  let waiting: Promise<{ status: number }> | undefined
  const send: ProviderCalls['send'] = async (sent) => {
    waiting = other.refund(id, { amount: 100 }).then((reply) => reply)
    await lock.untilWaiting(1)
    const outcome = await deps.providerCalls.send(sent)
    await lock.release()
    return outcome
  }
  const paying = tenant.through(createApp({ ...deps, providerCalls: { ...deps.providerCalls, send } }))
  expect((await paying.authorize()).status).toBe(201)
  expect((await waiting)?.status).toBe(200)
  await db.close()
}, 30_000)

test('another error of the database stays a 500', async () => {
  const tenant = world.tenant()
  await world.rows(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`)
  await world.rows(`CREATE TRIGGER fail BEFORE INSERT ON transactions FOR EACH ROW
    WHEN (NEW.tenant_id = '${tenant.id}') EXECUTE FUNCTION fail()`)
  const reply = await tenant.create({ external_reference: randomUUID() })
  await world.rows('DROP TRIGGER fail ON transactions')
  expect([reply.status, reply.body.code]).toEqual([500, 'internal_error'])
})
