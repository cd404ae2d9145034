import { describe, expect, test } from '@jest/globals'
import type { AuthorizationEpoch } from '@payments/contracts/authorization-version'
import { createRevalidator } from '../src/authorization/revalidator.ts'
import type { Pause } from '../src/authorization/single-flight.ts'

/** A revalidator whose reads get their responses from the test, in order. */
function controlled(pause?: Pause) {
  const reads: (number | undefined)[] = []
  const pending: ((response: AuthorizationEpoch | Error) => void)[] = []
  const invalidated: string[] = []
  const revalidator = createRevalidator({
    source: {
      readAuthorizationVersion: (since) =>
        new Promise((resolve, reject) => {
          reads.push(since)
          pending.push((response) => (response instanceof Error ? reject(response) : resolve(response)))
        }),
      ...(pause === undefined ? {} : { pause }),
    },
    invalidateAll: () => void invalidated.push('everything'),
    invalidate: { key: (id) => void invalidated.push(id) },
  })
  const settled: string[] = []
  return {
    reads,
    invalidated,
    settled,
    version: revalidator.version,
    revalidate: (name: string) =>
      revalidator.revalidate().then(
        () => settled.push(name),
        () => settled.push(`not ${name}`),
      ),
    respond: async (response: AuthorizationEpoch | Error) => {
      const next = pending.shift()
      if (next === undefined) throw new Error('no read is pending')
      next(response)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const at = (epoch: number, ...ids: string[]): AuthorizationEpoch => ({
  incarnation: 'one',
  epoch,
  invalidated: ids.map((id) => ({ kind: 'key', id })),
})

describe('a revalidator', () => {
  test('resolves a call only after a read that began after the call', async () => {
    const { reads, settled, revalidate, respond } = controlled()
    void revalidate('first')
    void revalidate('second')
    await respond(at(0))
    expect(settled).toEqual(['first'])
    void revalidate('third')
    await respond(at(0))
    expect(settled).toEqual(['first', 'second'])
    await respond(at(0))
    expect(settled).toEqual(['first', 'second', 'third'])
    expect(reads).toEqual([undefined, 0, 0])
  })

  test('has one read in progress and one for all waiting calls, however many', async () => {
    const { reads, settled, revalidate, respond } = controlled()
    for (let i = 0; i < 1000; i += 1) void revalidate(String(i))
    expect(reads).toHaveLength(1)
    await respond(at(0))
    expect(reads).toHaveLength(2)
    await respond(at(0))
    expect(settled).toHaveLength(1000)
    expect(reads).toHaveLength(2)
  })

  test('pauses between two reads, and calls during the pause share the second read', async () => {
    let resume = () => {}
    const paused = new Promise<void>((resolve) => {
      resume = resolve
    })
    const { reads, settled, revalidate, respond } = controlled(() => paused)
    void revalidate('first')
    void revalidate('second')
    await respond(at(0))
    void revalidate('third')
    expect([reads.length, settled]).toEqual([1, ['first']])
    resume()
    await new Promise(setImmediate)
    expect(reads).toHaveLength(2)
    await respond(at(0))
    expect(settled).toEqual(['first', 'second', 'third'])
    void revalidate('fourth')
    expect(reads).toHaveLength(3)
  })

  test('rejects the calls that waited for a failed read, no others, and invalidates nothing', async () => {
    const { reads, invalidated, settled, revalidate, respond } = controlled()
    void revalidate('first')
    await respond(at(3))
    invalidated.length = 0
    void revalidate('second')
    void revalidate('third')
    await respond(new Error('no response'))
    expect(settled).toEqual(['first', 'not second'])
    await respond(at(3))
    expect(settled).toEqual(['first', 'not second', 'third'])
    expect(reads).toEqual([undefined, 3, 3])
    expect(invalidated).toEqual([])
  })

  test('invalidates what a read names, and nothing while the version is unchanged', async () => {
    const { invalidated, version, revalidate, respond } = controlled()
    void revalidate('first')
    await respond(at(3))
    const before = version()
    invalidated.length = 0
    void revalidate('second')
    await respond(at(3))
    expect(version()).toBe(before)
    void revalidate('third')
    await respond(at(5, 'a', 'b'))
    expect(version()).not.toBe(before)
    expect(invalidated).toEqual(['a', 'b'])
  })

  test.each<[string, AuthorizationEpoch]>([
    ['a gap', { ...at(5), invalidated: null }],
    ['a gap at an unchanged epoch', { ...at(3), invalidated: null }],
    ['another incarnation', { ...at(5, 'a'), incarnation: 'two' }],
    ['another incarnation with the same epoch', { ...at(3), incarnation: 'two' }],
    ['an unknown kind of change', { ...at(5, 'a'), invalidated: [{ kind: 'policy', id: 'b' }] }],
  ])('invalidates everything on %s', async (_, response) => {
    const { invalidated, version, revalidate, respond } = controlled()
    void revalidate('first')
    await respond(at(3))
    const before = version()
    invalidated.length = 0
    void revalidate('second')
    await respond(response)
    expect(invalidated).toEqual(['everything'])
    expect(version()).not.toBe(before)
  })
})
