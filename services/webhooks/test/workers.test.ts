import { expect, test } from '@jest/globals'
import { createLog } from '@payments/chassis/observability/log'
import { createWorkers, type Workers } from '../src/dispatch/workers.ts'
import type { WorkItem } from '../src/domain/delivery/delivery.ts'
import type { Claimed } from '../src/store/delivery/claim.ts'

const log = createLog('test', 'silent')
const item = (id: string): WorkItem => ({ id, tenantId: 't', subscriptionId: 's', attemptCount: 0 })
const claimed: Claimed = {
  disposition: 'delivering',
  probe: false,
  schedulePosition: 0,
  body: '{}',
  tenantEventId: 'e',
  traceId: 't',
  traceparent: null,
  eventType: 'a.b.c',
  destinationUrl: 'https://example.com',
  label: null,
  secretEncrypted: null,
  previousSecretEncrypted: null,
  authInfoId: null,
  authInfoVersion: null,
  configEncrypted: null,
}
const take = (workers: Workers, id: string) => workers.take(item(id), claimed)

/** Work that ends on request. */
function gated() {
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>()
  const handle = ({ id }: WorkItem) =>
    new Promise<void>((resolve, reject) => {
      ends.set(id, { resolve, reject })
    })
  const afterImmediates = () => new Promise((resolve) => setImmediate(resolve))
  return {
    handle,
    end: async (id: string) => {
      ends.get(id)?.resolve()
      await afterImmediates()
    },
    fail: async (id: string) => {
      ends.get(id)?.reject(new Error('a bug'))
      await afterImmediates()
    },
  }
}

test('reports free workers, and when half of them are free again', async () => {
  let notified = 0
  const { handle, end, fail } = gated()
  const workers = createWorkers({ max: 4, handle, idle: () => (notified += 1), log })
  for (const id of ['a', 'b', 'c', 'd']) take(workers, id)
  expect(workers.free()).toBe(0)
  await end('a')
  expect([workers.free(), notified]).toEqual([1, 0])
  await fail('b')
  expect([workers.free(), notified]).toEqual([2, 1])
  await end('c')
  await end('d')
  expect([workers.free(), notified]).toEqual([4, 1])
})

test('accepts work above its capacity, and counts it', async () => {
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

test('a stop waits for work in progress, up to a limit', async () => {
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

test('grants capacity when half is free, or after a limit', async () => {
  const { handle, end } = gated()
  const workers = createWorkers({ max: 4, handle, idle: () => {}, log })
  const taken = await workers.waitForCapacity(3, 60_000)
  for (const id of ['a', 'b', 'c']) take(workers, id)
  taken()
  let hasCapacity = false
  const waited = workers.waitForCapacity(1, 60_000).then(() => {
    hasCapacity = true
  })
  await workers.waitForCapacity(0, 20)
  expect(hasCapacity).toBe(false)
  await end('a')
  await waited
  expect(hasCapacity).toBe(true)
})

test('grants free capacity in turn: what one caller will take is not granted to the next', async () => {
  const { handle, end } = gated()
  const workers = createWorkers({ max: 4, handle, idle: () => {}, log })
  for (const id of ['a', 'b', 'c']) take(workers, id)
  const granted: number[] = []
  const wait = async (count: number) => {
    const taken = await workers.waitForCapacity(count, 60_000)
    granted.push(count)
    return taken
  }
  const first = wait(2)
  const second = wait(1)
  await end('a')
  const taken = await first
  expect(granted).toEqual([2])
  await end('b')
  taken()
  await second
  expect(granted).toEqual([2, 1])
})
