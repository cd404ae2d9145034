import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { erasuresAt } from './erasures.ts'
import { startWorld, type World } from './world.ts'

let world: World
let erasures: ReturnType<typeof erasuresAt>
beforeAll(async () => {
  world = await startWorld()
  erasures = erasuresAt(world)
})
afterAll(() => world.stop())

test('shows what each service has done and until when copies expire, without the address', async () => {
  const tenant = world.tenant()
  const started = await erasures.begin(tenant, 'ada@example.com')
  expect(await erasures.read(started.id)).toEqual(started)
  expect(JSON.stringify(started)).not.toContain('ada@')
  await erasures.complete(tenant, started.id)
  const ended = await erasures.read(started.id)
  expect(ended.services.map(({ completed_at }) => completed_at)).not.toContain(null)
  const days = (Date.parse(ended.copies_until ?? '') - Date.parse(ended.completed_at ?? '')) / (24 * 60 * 60_000)
  expect([started.copies_until, days]).toEqual([null, 31])
})

test('returns payer_erasure_not_found for an unknown id', async () => {
  const reply = await world.asOperator.get(`/internal/payer-erasures/${randomUUID()}`).expect(404)
  expect(reply.body.code).toBe('payer_erasure_not_found')
})
