import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reencryptSecrets encrypts links under a newer data key, and they stay the same', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const dataKey = async () => {
    const [row] = await world.rows<{ id: string }>(
      `SELECT encode(substring(code_encrypted FROM 2 FOR 16), 'hex') AS id FROM codes`,
    )
    return row?.id
  }
  const previous = await dataKey()
  const body = { after: null, limit: 10, since: new Date(Date.now() + 1).toISOString() }
  const { response } = await world.asOperator.post('/internal/secrets/reencrypt', body)
  expect([response.status, response.body]).toEqual([
    200,
    { current: 'k1', done: 1, failed: 0, remaining: 0, next: null },
  ])
  expect(await dataKey()).not.toBe(previous)
  expect((await tenant.reveal(code.id)).url).toBe(code.url)
  expect((await world.asOperator.post('/internal/secrets/reencrypt', body)).response.body.done).toBe(0)
})
