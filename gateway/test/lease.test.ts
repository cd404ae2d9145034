import { describe, expect, test } from '@jest/globals'
import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import { controlReads, durationMs, grantVersion, withoutLease } from './controlled-lease.ts'

describe('a lease', () => {
  test('covers requests without another read, from the moment that the read was sent', async () => {
    const { reads, settled, pass, acquire, respond } = controlReads()
    await acquire('first')
    pass(20)
    await respond(grantVersion(0))
    pass(4)
    await acquire('second')
    expect([settled, reads.length]).toEqual([['first', 'second'], 1])
  })

  test('is renewed in the background by a request in its second half, once', async () => {
    const { reads, settled, pass, acquire, respond } = controlReads()
    await acquire('first')
    await respond(grantVersion(0))
    pass(25)
    for (const name of ['second', 'third']) await acquire(name)
    expect([settled, reads]).toEqual([
      ['first', 'second', 'third'],
      [undefined, 0],
    ])
    pass(20)
    await respond(grantVersion(0))
    pass(20)
    await acquire('fourth')
    expect([settled.at(-1), reads.length]).toEqual(['fourth', 3])
  })

  test('is not renewed without requests', async () => {
    const { reads, pass, acquire, respond } = controlReads()
    await acquire('first')
    await respond(grantVersion(0))
    pass(10_000)
    await acquire('second')
    await respond(grantVersion(0))
    expect(reads).toHaveLength(2)
  })

  test('has expired after its duration: a request waits for a read', async () => {
    const { reads, settled, pass, acquire, respond } = controlReads()
    await acquire('first')
    await respond(grantVersion(0))
    pass(50)
    await acquire('second')
    expect([settled, reads.length]).toEqual([['first'], 2])
    await respond(grantVersion(0))
    expect(settled).toEqual(['first', 'second'])
  })

  test('of a read in progress admits a request that arrived later, while it is valid', async () => {
    const { reads, settled, pass, acquire, respond } = controlReads()
    await acquire('first')
    pass(30)
    await acquire('second')
    pass(19)
    await respond(grantVersion(0))
    expect([settled, reads.length]).toEqual([['first', 'second'], 1])
  })

  test('of a read that took longer admits only the requests for which the read was sent', async () => {
    const { reads, settled, pass, acquire, respond } = controlReads()
    await acquire('first')
    pass(30)
    for (const name of ['second', 'third']) await acquire(name)
    expect(reads).toHaveLength(1)
    pass(20)
    expect(reads).toHaveLength(2)
    await respond(grantVersion(0))
    expect([settled, reads.length]).toEqual([['first'], 2])
    pass(200)
    await respond(grantVersion(0))
    expect([settled, reads.length]).toEqual([['first', 'second', 'third'], 2])
  })

  test('has one read in progress per interval, however many requests wait, and four at most', async () => {
    const { reads, settled, pass, acquire, respond } = controlReads()
    await Promise.all(Array.from({ length: 1_000 }, (_, number) => acquire(String(number))))
    expect(reads).toHaveLength(1)
    for (const expected of [2, 3, 4, 4, 4]) {
      pass(durationMs)
      await acquire('later')
      expect(reads).toHaveLength(expected)
    }
    await respond(withoutLease(0), 3)
    // Another read for the requests that arrived while four were in progress.
    expect([settled.length, reads.length]).toEqual([1_002, 5])
    await respond(withoutLease(0), 2)
    expect([settled.length, reads.length]).toEqual([1_002, 5])
  })

  test('makes no request wait for two reads in a row, although a read takes most of its duration', async () => {
    const { reads, settled, pass, acquire, respond } = controlReads()
    const readMs = 40
    const sentAt: number[] = []
    for (let ms = 0; ms <= 500; ms += 1) {
      await acquire(String(ms))
      if (reads.length > sentAt.length) sentAt.push(ms)
      const ended = sentAt.indexOf(ms - readMs)
      if (ended !== -1) await respond(grantVersion(0), ended)
      expect(settled.length).toBeGreaterThanOrEqual(ms - readMs)
      pass(1)
    }
    expect(reads.length).toBeLessThan(500 / (durationMs / 2) + 2)
  })

  test('is not extended by a failed renewal, which rejects no request', async () => {
    const { settled, pass, acquire, respond } = controlReads()
    await acquire('first')
    await respond(grantVersion(3))
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
    const { reads, invalidated, settled, acquire, respond } = controlReads()
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

  test('of a later read admits the requests of an earlier one, whose failure then rejects no request', async () => {
    const { settled, pass, acquire, respond } = controlReads()
    await acquire('first')
    pass(60)
    await acquire('second')
    await respond(grantVersion(0), 1)
    await respond(new Error('no response'), 0)
    expect(settled.sort()).toEqual(['first', 'second'])
  })

  test.each<[string, number, number]>([
    ['has moved further than the lease, as after a suspension', 0, 50],
    ['was set back', 10, -1],
  ])('ends when the wall clock %s', async (_, monotonicMs, wallMs) => {
    const { reads, time, acquire, respond } = controlReads()
    await acquire('first')
    await respond(grantVersion(0))
    time.monotonicMs += monotonicMs
    time.wallMs += wallMs
    await acquire('second')
    expect(reads).toHaveLength(2)
  })
})

describe('reads in progress at the same time', () => {
  /** Two reads, sent at the epoch 3. */
  const overlapping = async () => {
    const all = controlReads()
    await all.acquire('first')
    await all.respond(grantVersion(3))
    all.invalidated.length = 0
    for (const name of ['second', 'third']) {
      all.pass(durationMs)
      await all.acquire(name)
    }
    expect(all.reads).toEqual([undefined, 3, 3])
    return all
  }

  test('are applied in the order in which they were sent: a late reply invalidates nothing', async () => {
    const { invalidated, version, respond } = await overlapping()
    await respond(grantVersion(5, 'a', 'b'), 2)
    const applied = version()
    await respond({ ...grantVersion(9), incarnation: 'old', invalidated: null }, 1)
    expect([version(), invalidated]).toEqual([applied, ['a', 'b']])
  })

  test('renew the lease although the one sent later has read an earlier epoch', async () => {
    const { reads, invalidated, settled, version, pass, acquire, respond } = await overlapping()
    await respond(grantVersion(5, 'a', 'b'), 1)
    const applied = version()
    await respond(grantVersion(4, 'a'), 2)
    expect([version(), invalidated]).toEqual([applied, ['a', 'b']])
    pass(20)
    await acquire('fourth')
    expect([settled.at(-1), reads.length]).toEqual(['fourth', 3])
  })

  test('invalidate everything once, however many were sent before the first reply', async () => {
    const { invalidated, pass, acquire, respond } = controlReads()
    await acquire('first')
    pass(durationMs)
    await acquire('second')
    for (const number of [0, 1]) await respond({ ...grantVersion(3), invalidated: null }, number)
    expect(invalidated).toEqual(['everything'])
  })

  test('invalidate everything when a reply names changes after an epoch of another incarnation', async () => {
    const { invalidated, version, respond } = await overlapping()
    // The epochs of the new incarnation are lower: what changed between 1 and 3 has no name.
    await respond({ ...grantVersion(1), incarnation: 'two', invalidated: null }, 1)
    await respond({ ...grantVersion(4, 'd'), incarnation: 'two' }, 2)
    expect(invalidated).toEqual(['everything', 'everything'])
    expect(version()).toMatchObject({ incarnation: 'two', epoch: 4 })
  })
})

describe('a read of the version', () => {
  test('invalidates what it names, and nothing while the version is unchanged', async () => {
    const { invalidated, version, acquire, respond } = controlReads()
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
    ['a gap', { ...grantVersion(5), invalidated: null }],
    ['a gap at an unchanged epoch', { ...grantVersion(3), invalidated: null }],
    ['another incarnation', { ...grantVersion(5, 'a'), incarnation: 'two' }],
    ['another incarnation with the same epoch', { ...grantVersion(3), incarnation: 'two' }],
    ['an unknown kind of change', { ...grantVersion(5, 'a'), invalidated: [{ kind: 'policy', id: 'b' }] }],
  ])('invalidates everything on %s', async (_, response) => {
    const { invalidated, version, acquire, respond } = controlReads()
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
