import { expect, test } from '@jest/globals'
import { members } from '../src/base/fair-permits.ts'
import { createLoopShare } from '../src/base/loop-share.ts'

const createRejection = () => new Error('rejected')
const share = (waitingMax = 1_000) => createLoopShare({ waitingMax, waitMsMax: 60_000, createRejection })

/** Holds the event loop. Returns when it began and ended, by `performance.now()`. */
function hold(ms: number) {
  const startedAt = performance.now()
  while (performance.now() < startedAt + ms);
  return { startedAt, endedAt: performance.now() }
}

test('after each work of a subject the event loop is free for as long as the work has lasted', async () => {
  const { run } = share()
  const works = await Promise.all(Array.from({ length: 8 }, () => run('a', () => hold(5))))
  const pauses = works.slice(1).map(({ startedAt }, i) => startedAt - (works[i]?.endedAt ?? 0))
  // A timer may fire a fraction of a millisecond early.
  for (const pause of pauses) expect(pause).toBeGreaterThan(3.5)
})

test('the work of another subject begins without a wait for those of the first one', async () => {
  const { run } = share()
  const order: string[] = []
  const work = (subject: string) =>
    run(subject, () => {
      order.push(subject)
      hold(3)
    })
  await Promise.all([...Array.from({ length: 20 }, () => work('a')), work('b')])
  expect(order.indexOf('b')).toBeLessThanOrEqual(2)
})

test('the work of a key begins before most of those of another key of the same tenant', async () => {
  const { run } = share()
  const order: string[] = []
  const startWork = (key: string) =>
    members.run(key, () =>
      run('a', () => {
        order.push(key)
        hold(3)
      }),
    )
  await Promise.all([...Array.from({ length: 20 }, () => startWork('one')), startWork('other')])
  expect(order.indexOf('other')).toBeLessThanOrEqual(2)
})

test('rejects beyond the limit of waits, and an error of a work ends it', async () => {
  const { run } = share(8)
  const works = Array.from({ length: 10 }, () => run('a', () => hold(2)))
  const outcomes = await Promise.allSettled(works)
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  await expect(run('a', () => JSON.parse('{'))).rejects.toThrow(SyntaxError)
  expect(await run('a', () => 1)).toBe(1)
})
