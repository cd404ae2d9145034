import { expect, test } from '@jest/globals'
import { createLog } from '@payments/chassis/log'
import { createWorkers, type Workers } from '../src/dispatch/workers.ts'
import type { WorkItem } from '../src/domain/work-item.ts'
import type { Claimed } from '../src/store/claim.ts'

const log = createLog('test', 'silent')
const item = (id: string): WorkItem => ({ id, tenantId: 't', subscriptionId: 's', attemptCount: 0 })
const claimed: Claimed = {
  status: 'delivering',
  probe: false,
  schedulePosition: 0,
  body: '{}',
  tenantEventId: 'e',
  traceId: 't',
  eventType: 'a.b.c',
  destinationUrl: 'https://example.com',
  secretSealed: null,
  previousSecretSealed: null,
  authInfoId: null,
  authInfoVersion: null,
  configSealed: null,
}
const take = (workers: Workers, id: string) => workers.take(item(id), claimed)

/** Work that ends when it is told to. */
function gated() {
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>()
  const handle = ({ id }: WorkItem) =>
    new Promise<void>((resolve, reject) => {
      ends.set(id, { resolve, reject })
    })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    handle,
    end: async (id: string) => {
      ends.get(id)?.resolve()
      await turn()
    },
    fail: async (id: string) => {
      ends.get(id)?.reject(new Error('a bug'))
      await turn()
    },
  }
}

test('tells how many are free, and when half of them are again', async () => {
  let told = 0
  const { handle, end, fail } = gated()
  const workers = createWorkers({ max: 4, handle, idle: () => (told += 1), log })
  for (const id of ['a', 'b', 'c', 'd']) take(workers, id)
  expect(workers.free()).toBe(0)
  await end('a')
  expect([workers.free(), told]).toEqual([1, 0])
  await fail('b')
  expect([workers.free(), told]).toEqual([2, 1])
  await end('c')
  await end('d')
  expect([workers.free(), told]).toEqual([4, 1])
})

test('more than there is room for is worked on, and counted', async () => {
  const { handle, end } = gated()
  const workers = createWorkers({ max: 1, handle, idle: () => {}, log })
  take(workers, 'a')
  take(workers, 'b')
  expect(workers.free()).toBe(0)
  await end('a')
  expect(workers.free()).toBe(0)
  await end('b')
  expect(workers.free()).toBe(1)
})

test('a stop waits for what is in work, but not for ever', async () => {
  const { handle, end } = gated()
  const workers = createWorkers({ handle, idle: () => {}, log })
  await workers.stop(1_000)
  take(workers, 'a')
  let stopped = false
  const stopping = workers.stop(10_000).then(() => {
    stopped = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(stopped).toBe(false)
  await end('a')
  await stopping
  take(workers, 'b')
  await workers.stop(20)
})

test('says when half are free, and does not let anybody wait for that for ever', async () => {
  const { handle, end } = gated()
  const workers = createWorkers({ max: 4, handle, idle: () => {}, log })
  await workers.waitForCapacity(60_000)
  for (const id of ['a', 'b', 'c']) take(workers, id)
  let hasRoom = false
  const room = workers.waitForCapacity(60_000).then(() => {
    hasRoom = true
  })
  const impatient = workers.waitForCapacity(20)
  await impatient
  expect(hasRoom).toBe(false)
  await end('a')
  await room
  expect(hasRoom).toBe(true)
})
