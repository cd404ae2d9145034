import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Prisma } from '../src/generated/client.ts'
import type { Database, Tx } from '../src/store/database.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The database, in which `work` runs between the query of transactions and that of their operations. */
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
