import { describe, expect, test } from '@jest/globals'
import type { AuthorizationEpoch } from '@payments/contracts/authorization-version'
import { createMemory } from '../src/authorization/dependency-cache.ts'
import { createEpochReader } from '../src/authorization/revalidator.ts'
import type { Pause } from '../src/authorization/single-flight.ts'

/** A reader whose reads are answered by hand, in their order. */
function handheld(pause?: Pause) {
  const asked: (number | undefined)[] = []
  const replies: ((told: AuthorizationEpoch | Error) => void)[] = []
  const forgotten: string[] = []
  const reader = createEpochReader({
    owner: {
      readAuthorizationVersion: (since) =>
        new Promise((resolve, reject) => {
          asked.push(since)
          replies.push((told) => (told instanceof Error ? reject(told) : resolve(told)))
        }),
      ...(pause === undefined ? {} : { pause }),
    },
    forgetAll: () => void forgotten.push('everything'),
    forget: { key: (id) => void forgotten.push(id) },
  })
  const caughtUp: string[] = []
  return {
    asked,
    forgotten,
    caughtUp,
    position: reader.position,
    catchUp: (name: string) =>
      reader.catchUp().then(
        () => caughtUp.push(name),
        () => caughtUp.push(`not ${name}`),
      ),
    reply: async (told: AuthorizationEpoch | Error) => {
      const next = replies.shift()
      if (next === undefined) throw new Error('nothing was asked')
      next(told)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const at = (epoch: number, ...ids: string[]): AuthorizationEpoch => ({
  incarnation: 'one',
  epoch,
  invalidated: ids.map((id) => ({ kind: 'key', id })),
})

describe('a reader of epochs', () => {
  test('lets nobody go on before a read that began after they asked', async () => {
    const { asked, caughtUp, catchUp, reply } = handheld()
    void catchUp('first')
    void catchUp('second')
    await reply(at(0))
    expect(caughtUp).toEqual(['first'])
    void catchUp('third')
    await reply(at(0))
    expect(caughtUp).toEqual(['first', 'second'])
    await reply(at(0))
    expect(caughtUp).toEqual(['first', 'second', 'third'])
    expect(asked).toEqual([undefined, 0, 0])
  })

  test('has one read under way, and one for all who wait, however many they are', async () => {
    const { asked, caughtUp, catchUp, reply } = handheld()
    for (let i = 0; i < 1000; i += 1) void catchUp(String(i))
    expect(asked).toHaveLength(1)
    await reply(at(0))
    expect(asked).toHaveLength(2)
    await reply(at(0))
    expect(caughtUp).toHaveLength(1000)
    expect(asked).toHaveLength(2)
  })

  test('leaves the owner alone between two reads, and who comes meanwhile shares the second', async () => {
    let goOn = () => {}
    const paused = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const { asked, caughtUp, catchUp, reply } = handheld(() => paused)
    void catchUp('first')
    void catchUp('second')
    await reply(at(0))
    void catchUp('third')
    expect([asked.length, caughtUp]).toEqual([1, ['first']])
    goOn()
    await new Promise(setImmediate)
    expect(asked).toHaveLength(2)
    await reply(at(0))
    expect(caughtUp).toEqual(['first', 'second', 'third'])
    void catchUp('fourth')
    expect(asked).toHaveLength(3)
  })

  test('refuses those who waited for a read that failed, nobody else, and forgets nothing', async () => {
    const { asked, forgotten, caughtUp, catchUp, reply } = handheld()
    void catchUp('first')
    await reply(at(3))
    forgotten.length = 0
    void catchUp('second')
    void catchUp('third')
    await reply(new Error('no answer'))
    expect(caughtUp).toEqual(['first', 'not second'])
    await reply(at(3))
    expect(caughtUp).toEqual(['first', 'not second', 'third'])
    expect(asked).toEqual([undefined, 3, 3])
    expect(forgotten).toEqual([])
  })

  test('forgets what is named, and nothing while nothing moved', async () => {
    const { forgotten, position, catchUp, reply } = handheld()
    void catchUp('first')
    await reply(at(3))
    const before = position()
    forgotten.length = 0
    void catchUp('second')
    await reply(at(3))
    expect(position()).toBe(before)
    void catchUp('third')
    await reply(at(5, 'a', 'b'))
    expect(position()).not.toBe(before)
    expect(forgotten).toEqual(['a', 'b'])
  })

  test.each<[string, AuthorizationEpoch]>([
    ['a gap', { ...at(5), invalidated: null }],
    ['a gap though the count is the same', { ...at(3), invalidated: null }],
    ['another incarnation', { ...at(5, 'a'), incarnation: 'two' }],
    ['another incarnation that has counted as far', { ...at(3), incarnation: 'two' }],
    ['a kind that only a newer owner knows', { ...at(5, 'a'), invalidated: [{ kind: 'policy', id: 'b' }] }],
  ])('forgets everything on %s', async (_, told) => {
    const { forgotten, position, catchUp, reply } = handheld()
    void catchUp('first')
    await reply(at(3))
    const before = position()
    forgotten.length = 0
    void catchUp('second')
    await reply(told)
    expect(forgotten).toEqual(['everything'])
    expect(position()).not.toBe(before)
  })
})

describe('a memory', () => {
  const create = (answersMax: number) =>
    createMemory<{ needs: readonly string[] }>({ answersMax, dependenciesOf: ({ needs }) => needs })

  test('forgets by each thing an answer depends on, and only those answers', () => {
    const memory = create(10)
    memory.put('one', { needs: ['a', 'b'] })
    memory.put('two', { needs: ['b', 'c'] })
    memory.forget('a')
    expect([memory.get('one'), memory.get('two')]).toEqual([undefined, { needs: ['b', 'c'] }])
    memory.put('one', { needs: ['a'] })
    memory.forget('b')
    expect([memory.get('one'), memory.get('two')]).toEqual([{ needs: ['a'] }, undefined])
  })

  test('forgets all that depend on one thing, and none that has ceased to', () => {
    const memory = create(10)
    for (const key of ['one', 'two', 'three', 'four']) memory.put(key, { needs: ['a', key] })
    memory.put('two', { needs: ['two'] })
    memory.forget('three')
    memory.forget('a')
    expect(['one', 'two', 'three', 'four'].map((key) => memory.get(key) !== undefined)).toEqual([
      false,
      true,
      false,
      false,
    ])
    memory.put('five', { needs: ['a'] })
    memory.forget('a')
    expect(memory.get('five')).toBeUndefined()
  })

  test('knows what the answer depends on that took the place of another', () => {
    const memory = create(10)
    memory.put('one', { needs: ['a'] })
    memory.put('one', { needs: ['b'] })
    memory.forget('a')
    expect(memory.get('one')).toEqual({ needs: ['b'] })
    memory.forget('b')
    expect(memory.get('one')).toBeUndefined()
  })

  test('keeps no more than it may: the one not used for longest goes', () => {
    const memory = create(2)
    memory.put('one', { needs: ['a'] })
    memory.put('two', { needs: ['a'] })
    memory.get('one')
    memory.put('three', { needs: ['a'] })
    expect([memory.get('one') === undefined, memory.get('two') === undefined]).toEqual([false, true])
    memory.forget('a')
    expect([memory.get('one'), memory.get('three')]).toEqual([undefined, undefined])
  })
})
