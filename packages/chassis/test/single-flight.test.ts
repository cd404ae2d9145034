import { expect, test } from '@jest/globals'
import { createSingleFlight } from '../src/base/single-flight.ts'

/** Runs that the test ends, in the order of their start. */
function controlledRuns() {
  const ends: { succeed: (value: string) => void; fail: () => void }[] = []
  const run = () =>
    new Promise<string>((resolve, reject) => {
      ends.push({ succeed: resolve, fail: () => reject(new Error('failed')) })
    })
  return { ends, run }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('callers during a run share one next run, which begins after the current one', async () => {
  const { ends, run } = controlledRuns()
  const flight = createSingleFlight<string>()
  const first = flight('a', run)
  const others = [flight('a', run), flight('a', run), flight('a', run)]
  await turn()
  expect(ends).toHaveLength(1)
  ends[0]?.succeed('one')
  expect(await first).toBe('one')
  await turn()
  expect(ends).toHaveLength(2)
  ends[1]?.succeed('two')
  expect(await Promise.all(others)).toEqual(['two', 'two', 'two'])
})

test('a failed run fails its callers only; the next one runs', async () => {
  const { ends, run } = controlledRuns()
  const flight = createSingleFlight<string>()
  const first = flight('a', run).catch(String)
  const second = flight('a', run)
  ends[0]?.fail()
  expect(await first).toBe('Error: failed')
  await turn()
  ends[1]?.succeed('two')
  expect(await second).toBe('two')
})

test('a key whose runs have ended takes no memory: its next run begins at once', async () => {
  const { ends, run } = controlledRuns()
  const flight = createSingleFlight<string>()
  for (let runs = 1; runs <= 3; runs += 1) {
    const result = flight('a', run)
    expect(ends).toHaveLength(runs)
    ends.at(-1)?.succeed('done')
    await result
    await turn()
  }
})

test('keys are independent of each other', () => {
  const { ends, run } = controlledRuns()
  const flight = createSingleFlight<string>()
  void flight('a', run)
  void flight('b', run)
  expect(ends).toHaveLength(2)
})
