import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openDatabase } from '../src/store/database.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const readinessWith = (changes: Parameters<World['createAppWith']>[0]) =>
  world.createCallers(world.createAppWith(changes)).asService('gateway').get('/readyz')

test('readiness needs the database, and no broker', async () => {
  const withoutBroker = await readinessWith({ brokerCheck: async () => 'no connection to the broker' })
  expect([withoutBroker.status, withoutBroker.body.status]).toEqual([200, 'ready'])
  const db = openDatabase('postgresql://payments:secret@127.0.0.1:1/nowhere')
  const withoutDatabase = await readinessWith({ db })
  await db.close()
  expect(withoutDatabase.status).toBe(503)
  expect(withoutDatabase.body.reasons).toEqual({ database: 'is unavailable' })
})
