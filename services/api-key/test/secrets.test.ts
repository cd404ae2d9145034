import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { secretsSuite } from '@payments/testing/suites/secrets'
import { encryptedColumns } from '../src/domain/key-value.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

secretsSuite(
  apiKey,
  encryptedColumns,
  () => world,
  async () => {
    const { id, by } = await world.tenant()
    const { body: key } = await by().create()
    await by().rotate(key.id, 3_600)
    return async (app) => (await world.asUserOfTenant(app, id).reveal(key.id)).body.value
  },
)

test('a re-encryption beside ten rotations: each key shows its last value, and no authorization changes', async () => {
  const tenant = await world.tenant()
  const created: { id: string; value: string }[] = []
  for (let i = 0; i < 10; i += 1) created.push((await tenant.by().create()).body)
  const reencrypt = async (after: string | null): Promise<unknown> => {
    const { status, body } = await world.asService.reencrypt({ after, limit: 3, since })
    expect(status).toBe(200)
    return body.next === null ? undefined : reencrypt(body.next)
  }
  const since = new Date(Date.now() + 1).toISOString()
  const [, ...rotations] = await Promise.all([reencrypt(null), ...created.map(({ id }) => tenant.by().rotate(id, 60))])
  const epoch = await world.epoch()
  await reencrypt(null)
  expect(await world.epoch()).toEqual(epoch)
  for (const [i, { id, value }] of created.entries()) {
    expect((await tenant.by().reveal(id)).body.value).toBe(rotations[i]?.body.value)
    expect(await world.asService.identifyValue(value)).toMatchObject({ value: 'previous' })
  }
})
