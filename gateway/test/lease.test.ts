import { describe, expect, test } from '@jest/globals'
import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import { createLease } from '../src/authorization/lease.ts'

/** A lease whose clocks the test moves, and whose reads get their responses from the test, in order. */
function controlled() {
  const reads: (number | undefined)[] = []
  const pending: ((response: AuthorizationVersionReply | Error) => void)[] = []
  const invalidated: string[] = []
  const time = { monotonicMs: 1_000, wallMs: 5_000 }
  const lease = createLease({
    source: 'rbac',
    clock: { monotonicMs: () => time.monotonicMs, wallMs: () => time.wallMs },
    readVersion: (since) =>
      new Promise((resolve, reject) => {
        reads.push(since)
        pending.push((response) => (response instanceof Error ? reject(response) : resolve(response)))
      }),
    invalidateAll: () => void invalidated.push('everything'),
    invalidate: { key: (id) => void invalidated.push(id) },
  })
  const settled: string[] = []
  const round = () => new Promise((resolve) => setImmediate(resolve))
  return {
    reads,
    invalidated,
    settled,
    time,
    version: lease.version,
    pass: (ms: number) => {
      time.monotonicMs += ms
      time.wallMs += ms
    },
    /** Calls `acquire`. Resolves when every promise that needs no response has settled. */
    acquire: async (name: string) => {
      lease.acquire().then(
        () => settled.push(name),
        () => settled.push(`not ${name}`),
      )
      await round()
    },
    respond: async (response: AuthorizationVersionReply | Error) => {
      const next = pending.shift()
      if (next === undefined) throw new Error('no read is pending')
      next(response)
      await round()
    },
  }
}

const granted = (epoch: number, ...ids: string[]): AuthorizationVersionReply => ({
  incarnation: 'one',
  epoch,
  invalidated: ids.map((id) => ({ kind: 'key', id })),
  lease_ms: 50,
})
const withoutLease = (epoch: number, ...ids: string[]): AuthorizationVersionReply => ({
  ...granted(epoch, ...ids),
  lease_ms: 0,
})

describe('a lease', () => {
  test('covers requests without another read, from the moment that the read was sent', async () => {
    const { reads, settled, pass, acquire, respond } = controlled()
    await acquire('first')
    pass(20)
    await respond(granted(0))
    pass(4)
    await acquire('second')
    expect([settled, reads.length]).toEqual([['first', 'second'], 1])
  })

  test('is renewed in the background by a request in its second half, once', async () => {
    const { reads, settled, pass, acquire, respond } = controlled()
    await acquire('first')
    await respond(granted(0))
    pass(25)
    for (const name of ['second', 'third']) await acquire(name)
    expect([settled, reads]).toEqual([
      ['first', 'second', 'third'],
      [undefined, 0],
    ])
    pass(20)
    await respond(granted(0))
    pass(20)
    await acquire('fourth')
    expect([settled.at(-1), reads.length]).toEqual(['fourth', 3])
  })

  test('is not renewed without requests', async () => {
    const { reads, pass, acquire, respond } = controlled()
    await acquire('first')
    await respond(granted(0))
    pass(10_000)
    await acquire('second')
    await respond(granted(0))
    expect(reads).toHaveLength(2)
  })

  test('has expired after its duration: a request waits for a read', async () => {
    const { reads, settled, pass, acquire, respond } = controlled()
    await acquire('first')
    await respond(granted(0))
    pass(50)
    await acquire('second')
    expect([settled, reads.length]).toEqual([['first'], 2])
    await respond(granted(0))
    expect(settled).toEqual(['first', 'second'])
  })

  test('of a read in progress admits a request that arrived later, while it is valid', async () => {
    const { reads, settled, pass, acquire, respond } = controlled()
    await acquire('first')
    pass(30)
    await acquire('second')
    pass(19)
    await respond(granted(0))
    expect([settled, reads.length]).toEqual([['first', 'second'], 1])
  })

  test('of a read that took longer admits only the requests for which the read was sent', async () => {
    const { reads, settled, pass, acquire, respond } = controlled()
    await acquire('first')
    pass(30)
    for (const name of ['second', 'third']) await acquire(name)
    pass(20)
    await respond(granted(0))
    expect([settled, reads.length]).toEqual([['first'], 2])
    pass(200)
    await respond(granted(0))
    expect([settled, reads.length]).toEqual([['first', 'second', 'third'], 2])
  })

  test('has one read in progress, however many requests wait', async () => {
    const { reads, settled, acquire, respond } = controlled()
    await Promise.all(Array.from({ length: 1_000 }, (_, number) => acquire(String(number))))
    await respond(withoutLease(0))
    await respond(withoutLease(0))
    expect([settled.length, reads.length]).toEqual([1_000, 2])
  })

  test('is not extended by a failed renewal, which rejects no request', async () => {
    const { settled, pass, acquire, respond } = controlled()
    await acquire('first')
    await respond(granted(3))
    pass(30)
    await acquire('second')
    await respond(new Error('no response'))
    pass(19)
    await acquire('third')
    expect(settled).toEqual(['first', 'second', 'third'])
    pass(1)
    await acquire('fourth')
    await respond(new Error('no response'))
    expect(settled.at(-1)).toBe('third')
    await respond(new Error('no response'))
    expect(settled.at(-1)).toBe('not fourth')
  })

  test('rejects the requests that waited for a failed read, no others, and invalidates nothing', async () => {
    const { reads, invalidated, settled, acquire, respond } = controlled()
    await acquire('first')
    await respond(withoutLease(3))
    invalidated.length = 0
    await acquire('second')
    await acquire('third')
    await respond(new Error('no response'))
    expect(settled).toEqual(['first', 'not second'])
    await respond(withoutLease(3))
    expect(settled).toEqual(['first', 'not second', 'third'])
    expect([reads, invalidated]).toEqual([[undefined, 3, 3], []])
  })

  test.each<[string, number, number]>([
    ['has moved further than the lease, as after a suspension', 0, 50],
    ['was set back', 10, -1],
  ])('ends when the wall clock %s', async (_, monotonicMs, wallMs) => {
    const { reads, time, acquire, respond } = controlled()
    await acquire('first')
    await respond(granted(0))
    time.monotonicMs += monotonicMs
    time.wallMs += wallMs
    await acquire('second')
    expect(reads).toHaveLength(2)
  })
})

describe('a read of the version', () => {
  test('invalidates what it names, and nothing while the version is unchanged', async () => {
    const { invalidated, version, acquire, respond } = controlled()
    await acquire('first')
    await respond(withoutLease(3))
    const before = version()
    invalidated.length = 0
    await acquire('second')
    await respond(withoutLease(3))
    expect(version()).toBe(before)
    await acquire('third')
    await respond(withoutLease(5, 'a', 'b'))
    expect(version()).not.toBe(before)
    expect(invalidated).toEqual(['a', 'b'])
  })

  test.each<[string, AuthorizationVersionReply]>([
    ['a gap', { ...granted(5), invalidated: null }],
    ['a gap at an unchanged epoch', { ...granted(3), invalidated: null }],
    ['another incarnation', { ...granted(5, 'a'), incarnation: 'two' }],
    ['another incarnation with the same epoch', { ...granted(3), incarnation: 'two' }],
    ['an unknown kind of change', { ...granted(5, 'a'), invalidated: [{ kind: 'policy', id: 'b' }] }],
  ])('invalidates everything on %s', async (_, response) => {
    const { invalidated, version, acquire, respond } = controlled()
    await acquire('first')
    await respond(withoutLease(3))
    const before = version()
    invalidated.length = 0
    await acquire('second')
    await respond(response)
    expect(invalidated).toEqual(['everything'])
    expect(version()).not.toBe(before)
  })
})
