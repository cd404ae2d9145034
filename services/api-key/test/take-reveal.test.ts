import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const take = async (tenantId: string, actor: string) => {
  const body = { tenant_id: tenantId, actor, reveals_max: 5, window_seconds: 60 }
  return (await world.asService.send('post', '/internal/reveals', body).expect(200)).body.retry_after_seconds
}

test('ten reveals of an actor at once: five are counted, the others get the seconds until the next', async () => {
  const { id } = await world.tenant()
  const actor = `user:${randomUUID()}`
  const waits: number[] = await Promise.all(Array.from({ length: 10 }, () => take(id, actor)))
  expect(waits.filter((seconds) => seconds === 0)).toHaveLength(5)
  expect(waits.filter((seconds) => seconds > 50 && seconds <= 60)).toHaveLength(5)
  expect(await take(id, `user:${randomUUID()}`)).toBe(0)
  expect(await take((await world.tenant()).id, actor)).toBe(0)
})

test('a reveal is possible again a minute after the first', async () => {
  const { id } = await world.tenant()
  const actor = `user:${randomUUID()}`
  for (let i = 0; i < 5; i += 1) expect(await take(id, actor)).toBe(0)
  expect(await take(id, actor)).toBeGreaterThan(0)
  await world.rows(
    `UPDATE reveal_attempts SET attempted_at = attempted_at - interval '61 s' WHERE tenant_id = $1::uuid RETURNING id`,
    id,
  )
  expect(await take(id, actor)).toBe(0)
})
