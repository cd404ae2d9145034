import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test.each(['complete', 'capture', 'void', 'refund', 'sync', 'read', 'operations'] as const)(
  "%s responds to another tenant's transaction as to a missing one, byte for byte",
  async (verb) => {
    const { id } = (await world.tenant().authorize()).body
    const stranger = world.tenant()
    const [foreign, missing] = [await stranger[verb](id), await stranger[verb](randomUUID())]
    expect([foreign.status, foreign.body.code]).toEqual([404, 'transaction_not_found'])
    const { trace_id: _, ...body } = foreign.body
    expect(missing.body).toEqual({ ...body, trace_id: missing.body.trace_id })
    expect(await stranger.events()).toEqual([])
  },
)
