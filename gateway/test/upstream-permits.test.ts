import { setMaxListeners } from 'node:events'
import { afterAll, describe, expect, test } from '@jest/globals'
import type { Release } from '@payments/chassis/base/fair-permits'
import type { Problem } from '@payments/contracts/grammar/problem'
import { createUpstreamPermits, type UpstreamPermitLimits } from '../src/limits/upstream-permits.ts'

const limits: UpstreamPermitLimits = {
  kind: 'tenant',
  permitsMax: 4,
  perSubjectMax: 2,
  waitingMax: 40,
  waitMsMax: 60_000,
}
const createPermits = (changes: Partial<UpstreamPermitLimits> = {}) => createUpstreamPermits({ ...limits, ...changes })
const settledCode = (acquired: Promise<unknown>) =>
  acquired.then(
    () => 'granted',
    (error: Problem) => error.code,
  )
const turn = () => new Promise((resolve) => setImmediate(resolve))

const over = new AbortController()
setMaxListeners(100, over.signal)
afterAll(() => over.abort())

/** Acquires permits of tenants in this order and records the order in which they are granted. */
function queueUp(permits: ReturnType<typeof createPermits>, names: readonly string[]) {
  const granted: string[] = []
  const releases: Release[] = []
  for (const name of names) {
    permits.acquire(name.slice(0, 1), { signal: over.signal }).then(
      (release) => {
        granted.push(name)
        releases.push(release)
      },
      () => 'the test is over',
    )
  }
  return { granted, releases }
}

describe('permits of a service', () => {
  test('a tenant holds at most its maximum, and its next request waits until one ends', async () => {
    const permits = createPermits()
    const first = await permits.acquire('a')
    await permits.acquire('a')
    const { granted } = queueUp(permits, ['a3'])
    await turn()
    expect([granted, permits.counts()]).toEqual([[], { inProgress: 2, waiting: 1 }])
    first()
    await turn()
    expect([granted, permits.counts()]).toEqual([['a3'], { inProgress: 2, waiting: 0 }])
  })

  test('the credentials of a tenant take turns: one of many requests delays another by one request', async () => {
    const permits = createPermits({ perSubjectMax: 1 })
    const granted: string[] = []
    const releases: Release[] = [await permits.acquire('a')]
    for (const name of ['many1', 'many2', 'many3', 'few1', 'many4', 'few2']) {
      void permits.acquire('a', { member: name.slice(0, -1), signal: over.signal }).then((release) => {
        granted.push(name)
        releases.push(release)
      })
    }
    for (let ended = 0; ended < 6; ended += 1) {
      releases[ended]?.()
      await turn()
    }
    expect(granted).toEqual(['many1', 'few1', 'many2', 'few2', 'many3', 'many4'])
    expect(permits.counts()).toEqual({ inProgress: 1, waiting: 0 })
  })

  test('one credential has three quarters of the permits of its tenant, and another does not wait for them', async () => {
    const permits = createPermits({ permitsMax: 8, perSubjectMax: 4, waitMsMax: 50 })
    const held = Array.from({ length: 3 }, () => permits.tryAcquire('a', 'many'))
    expect(held.every((release) => release !== undefined)).toBe(true)
    const rejected = permits.acquire('a', { member: 'many' })
    const waiting = permits.acquire('a', { member: 'many' })
    expect(permits.tryAcquire('a', 'few')).toBeDefined()
    await expect(rejected).rejects.toMatchObject({
      code: 'rate_limited',
      options: { detail: 'The key or user has reached its limit of 3 requests in progress at this service' },
    })
    await expect(waiting).rejects.toThrow()
    const next = permits.acquire('a', { member: 'many' })
    held[0]?.()
    await next
    expect(permits.counts()).toEqual({ inProgress: 4, waiting: 0 })
  })

  test('in the full queue of a tenant, a credential with fewer requests replaces the latest of the one with the most', async () => {
    const permits = createPermits({ perSubjectMax: 1, waitingMax: 16 })
    const release = await permits.acquire('a')
    const outcomes = new Map<string, string>()
    const wait = (name: string) =>
      void settledCode(permits.acquire('a', { member: name.slice(0, -1), signal: over.signal })).then((code) =>
        outcomes.set(name, code),
      )
    for (const name of ['many1', 'many2', 'many3', 'many4', 'many5', 'few1', 'few2', 'few3']) wait(name)
    await turn()
    expect([...outcomes.keys()].sort()).toEqual(['few3', 'many3', 'many4', 'many5'])
    expect(new Set(outcomes.values())).toEqual(new Set(['rate_limited']))
    expect(permits.counts()).toEqual({ inProgress: 1, waiting: 4 })
    release()
  })

  test('a full queue rejects the latest request of the longest queue for a subject with fewer', async () => {
    const permits = createPermits({ permitsMax: 1, perSubjectMax: 1, waitingMax: 8 })
    const release = await permits.acquire('a')
    const outcomes = new Map<string, string>()
    const wait = (name: string) =>
      void settledCode(permits.acquire(name.slice(0, 1), { signal: over.signal })).then((code) =>
        outcomes.set(name, code),
      )
    for (const name of ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2', 'e1']) wait(name)
    await turn()
    expect([...outcomes]).toEqual([['a2', 'rate_limited']])
    wait('a2')
    wait('e2')
    await turn()
    expect([...outcomes].slice(1)).toEqual([['e2', 'service_unavailable']])
    release()
    await turn()
    expect(outcomes.get('b1')).toBe('granted')
  })

  test('a request that has ended already gets none', async () => {
    const permits = createPermits()
    await expect(permits.acquire('a', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    expect(permits.counts()).toEqual({ inProgress: 0, waiting: 0 })
  })

  test('one tenant with a long queue does not delay another', async () => {
    const permits = createPermits()
    queueUp(permits, ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'])
    await turn()
    expect(await settledCode(permits.acquire('b'))).toBe('granted')
  })

  test('tenants get permits in turn, and the requests of a tenant in order of arrival', async () => {
    const permits = createPermits({ permitsMax: 1, perSubjectMax: 1 })
    const last = await permits.acquire('x')
    const { granted, releases } = queueUp(permits, ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
    last()
    for (let i = 0; i < 6; i++) {
      await turn()
      releases.at(-1)?.()
    }
    expect(granted).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(permits.counts()).toEqual({ inProgress: 0, waiting: 0 })
  })

  test('a permit released twice counts once', async () => {
    const permits = createPermits({ permitsMax: 2 })
    const release = await permits.acquire('a')
    await permits.acquire('b')
    release()
    release()
    expect(permits.counts().inProgress).toBe(1)
  })

  test.each([
    ['the tenant holds its maximum: 429', ['a', 'a'], 'rate_limited'],
    ['other tenants hold all permits: 503', ['b', 'b', 'c', 'c'], 'service_unavailable'],
  ])('a wait ends at its deadline when %s, with Retry-After', async (_case, holders, code) => {
    const permits = createPermits({ waitMsMax: 20 })
    for (const holder of holders) await permits.acquire(holder)
    const rejected = await permits.acquire('a').catch((error: Problem) => error)
    expect(rejected).toMatchObject({ code, options: { retryAfterSeconds: 1 } })
    expect(permits.counts()).toEqual({ inProgress: holders.length, waiting: 0 })
  })

  test('a tenant fills at most a quarter of the queue', async () => {
    const permits = createPermits({ perSubjectMax: 1, waitingMax: 8 })
    queueUp(permits, ['a1', 'a2', 'a3'])
    expect(await settledCode(permits.acquire('a'))).toBe('rate_limited')
    expect(await settledCode(permits.acquire('b'))).toBe('granted')
    queueUp(permits, ['b2'])
    expect(permits.counts().waiting).toBe(3)
  })

  test('a full queue rejects immediately', async () => {
    const permits = createPermits({ permitsMax: 1, waitingMax: 4 })
    const { granted } = queueUp(permits, ['x1', 'a1', 'b1', 'c1', 'd1'])
    expect(await settledCode(permits.acquire('e'))).toBe('service_unavailable')
    expect(granted).toEqual(['x1'])
  })

  test('a client that leaves is removed from the queue and holds no permit', async () => {
    const permits = createPermits({ permitsMax: 1 })
    const release = await permits.acquire('x')
    const gone = new AbortController()
    const abandoned = permits.acquire('a', { signal: gone.signal })
    const { granted } = queueUp(permits, ['b1'])
    gone.abort(new Error('gone'))
    await expect(abandoned).rejects.toThrow('gone')
    release()
    await turn()
    expect([granted, permits.counts()]).toEqual([['b1'], { inProgress: 1, waiting: 0 }])
  })

  test('no order of acquiring, releasing and leaving loses a permit or exceeds the maximum', async () => {
    let seed = 7
    const random = (max: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % max
    }
    const permits = createPermits({ permitsMax: 3, waitMsMax: 60_000, waitingMax: 1_000 })
    const held: { tenant: string; release: Release }[] = []
    const leaving: AbortController[] = []
    for (let step = 0; step < 2_000; step++) {
      const choice = random(4)
      if (choice < 2) {
        const tenant = String.fromCharCode(97 + random(5))
        const controller = new AbortController()
        leaving.push(controller)
        permits.acquire(tenant, { signal: controller.signal }).then(
          (release) => held.push({ tenant, release }),
          () => 'left or rejected',
        )
      } else if (choice === 2) held.splice(random(held.length + 1), 1)[0]?.release()
      else leaving.splice(random(leaving.length + 1), 1)[0]?.abort()
      await Promise.resolve()
      const { inProgress, waiting } = permits.counts()
      expect(inProgress).toBeLessThanOrEqual(3)
      const tenants = held.map(({ tenant }) => tenant)
      for (const tenant of new Set(tenants)) {
        expect(tenants.filter((one) => one === tenant).length).toBeLessThanOrEqual(limits.perSubjectMax)
      }
      // While a request waits, all permits are in use or the waiting tenants hold their maximum.
      if (waiting > 0) expect(inProgress).toBeGreaterThanOrEqual(limits.perSubjectMax)
    }
    for (const controller of leaving) controller.abort()
    await turn()
    while (held.length > 0) {
      held.pop()?.release()
      await turn()
    }
    expect(permits.counts()).toEqual({ inProgress: 0, waiting: 0 })
  }, 30_000)
})
