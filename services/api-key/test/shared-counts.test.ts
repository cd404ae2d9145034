import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const fail = async (address: string, failures = 1) => {
  const body = { address, failures, window_seconds: 60 }
  return (await world.asService.send('post', '/internal/failed-authentications', body).expect(200)).body
}
const endWindow = (address: string) =>
  world.rows(
    `UPDATE failed_authentications SET ends_at = clock_timestamp() WHERE address = $1 RETURNING address`,
    address,
  )

test('failed authentications of an address add up, whoever reports them, at the same time too', async () => {
  expect(await fail('192.0.2.1', 3)).toMatchObject({ failures: 3 })
  const counts = await Promise.all(Array.from({ length: 10 }, () => fail('192.0.2.1')))
  expect(counts.map(({ failures }) => failures).sort((a, b) => a - b)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
  expect(await fail('192.0.2.2')).toMatchObject({ failures: 1 })
})

test('their window begins with the first and is not prolonged; after it they are counted anew', async () => {
  const first = await fail('192.0.2.3')
  expect(first.ends_in_seconds).toBeGreaterThan(55)
  const second = await fail('192.0.2.3')
  expect(second.ends_in_seconds).toBeLessThan(first.ends_in_seconds)
  await endWindow('192.0.2.3')
  const next = await fail('192.0.2.3')
  expect(next.failures).toBe(1)
  expect(next.ends_in_seconds).toBeGreaterThan(55)
})

test('windows that are over are forgotten, the others are kept', async () => {
  await fail('192.0.2.4')
  await fail('192.0.2.5')
  await endWindow('192.0.2.4')
  await purgeExpired(world.deps)
  const kept = await world.rows(
    `SELECT address FROM failed_authentications WHERE address IN ('192.0.2.4', '192.0.2.5')`,
  )
  expect(kept).toEqual([{ address: '192.0.2.5' }])
})

const take = async (tenantId: string, actor: string) => {
  const body = { tenant_id: tenantId, actor, reveals_max: 5, window_seconds: 60 }
  return (await world.asService.send('post', '/internal/reveals', body).expect(200)).body.retry_after_seconds
}

test('of ten reveals of an actor at once five are taken, and the others told when there is room', async () => {
  const { id } = await world.tenant()
  const actor = `user:${randomUUID()}`
  const waits: number[] = await Promise.all(Array.from({ length: 10 }, () => take(id, actor)))
  expect(waits.filter((seconds) => seconds === 0)).toHaveLength(5)
  expect(waits.filter((seconds) => seconds > 50 && seconds <= 60)).toHaveLength(5)
  expect(await take(id, `user:${randomUUID()}`)).toBe(0)
  expect(await take((await world.tenant()).id, actor)).toBe(0)
})

test("they do not use up what this service allows of its own keys' reveals", async () => {
  const tenant = await world.tenant()
  const user = tenant.by()
  const { body: key } = await user.create()
  for (let i = 0; i < 5; i += 1) await take(tenant.id, `${user.actor.type}:${user.actor.id}`)
  await user.reveal(key.id).expect(200)
})
