import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads a message of the tenant, and none of another tenant', async () => {
  const tenant = world.tenant()
  const { body: sent } = await tenant.send()
  expect(await tenant.read(sent.id)).toEqual(sent)
  for (const [reader, id] of [
    [world.tenant(), sent.id],
    [tenant, randomUUID()],
  ] as const) {
    const { status, body } = await reader.get(`/v1/communication/communications/${id}`)
    expect([status, body.code]).toEqual([404, 'communication_not_found'])
  }
})
