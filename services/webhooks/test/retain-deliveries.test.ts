import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { retainDeliveries } from '../src/dispatch/retain-deliveries.ts'
import { createPartitions } from '../src/store/partitions.ts'
import { daysAgo, partitionName, partitions } from './partition-world.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('the job creates the next days; ten jobs at once create them once', async () => {
  const results = await Promise.all(Array.from({ length: 10 }, () => retainDeliveries(world, 30)))
  expect(results.filter(({ created }) => created > 0).length).toBeLessThanOrEqual(1)
  const ahead = await Promise.all(
    Array.from({ length: 10 }, () => world.db.acrossTenants((tx) => createPartitions(tx, 10))),
  )
  expect(ahead.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 9])
  const left = await partitions(world)
  for (let days = 0; days <= 10; days += 1) {
    for (const table of ['events', 'deliveries', 'attempts'])
      expect(left).toContain(partitionName(table, daysAgo(-days)))
  }
})

test('a direct query of a partition returns no rows', async () => {
  const name = partitionName('deliveries', new Date())
  const rows = await world.db.acrossTenants((tx) => tx.$queryRawUnsafe<unknown[]>(`SELECT id FROM ${name}`))
  expect(rows).toEqual([])
})
