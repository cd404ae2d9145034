import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

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

  test('responds transaction_not_found to an unknown id, and to the id of an operation', async () => {
    const { tenant, id } = await world.authorized()
    const [operation] = (await tenant.read(id)).body.operations
    for (const unknown of [randomUUID(), operation.id]) {
      const reply = await tenant.read(unknown)
      expect([reply.status, reply.body.code]).toEqual([404, 'transaction_not_found'])
    }
  })
})
