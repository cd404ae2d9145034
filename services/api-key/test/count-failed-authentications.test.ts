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
    `UPDATE failed_authentications SET ends_at = clock_timestamp() - interval '1 second' WHERE address = $1
     RETURNING address`,
    address,
  )

test('adds failures of an address from concurrent reports', async () => {
  expect(await fail('192.0.2.1', 3)).toMatchObject({ failures: 3 })
  const counts = await Promise.all(Array.from({ length: 10 }, () => fail('192.0.2.1')))
  expect(counts.map(({ failures }) => failures).sort((a, b) => a - b)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
  expect(await fail('192.0.2.2')).toMatchObject({ failures: 1 })
})

test('the time window starts with the first failure and is not extended; the next window starts at one', async () => {
  const first = await fail('192.0.2.3')
  expect(first.ends_in_seconds).toBeGreaterThan(55)
  const second = await fail('192.0.2.3')
  expect(second.ends_in_seconds).toBeLessThan(first.ends_in_seconds)
  await endWindow('192.0.2.3')
  const next = await fail('192.0.2.3')
  expect(next.failures).toBe(1)
  expect(next.ends_in_seconds).toBeGreaterThan(55)
})

test('a purge deletes expired windows and no others', async () => {
  await fail('192.0.2.4')
  await fail('192.0.2.5')
  await endWindow('192.0.2.4')
  await purgeExpired(world.deps)
  const retained = await world.rows(
    `SELECT address FROM failed_authentications WHERE address IN ('192.0.2.4', '192.0.2.5')`,
  )
  expect(retained).toEqual([{ address: '192.0.2.5' }])
})
