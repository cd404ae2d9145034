import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('listOperations', () => {
  test('lists operations newest first', async () => {
    const tenant = world.tenant()
    const { id, operations } = (await tenant.authorize('visa', { capture: true })).body
    const listed = (await tenant.operations(id, '?limit=1')).body
    expect(listed.data).toEqual([operations[1]])
    expect((await tenant.operations(id, `?cursor=${listed.next_cursor}`)).body.data).toEqual([operations[0]])
  })

  test('shows a transaction without operations as an empty page, and a missing one as transaction_not_found', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.create()).body
    const { status, body } = await tenant.operations(id)
    expect([status, body]).toEqual([200, { data: [], next_cursor: null }])
    const missing = await tenant.operations(randomUUID())
    expect([missing.status, missing.body.code]).toEqual([404, 'transaction_not_found'])
    expect(await tenant.eventTypes()).toEqual(['create'])
  })
})
