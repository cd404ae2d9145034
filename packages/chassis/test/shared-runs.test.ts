import { expect, test } from '@jest/globals'
import { createSharedRuns } from '../src/base/shared-runs.ts'

/** Runs that the test ends, each with the items that it serves. */
function controlled({ perRunMax = 100, waitingMax = 100 } = {}) {
  const runs: { readonly items: readonly number[]; end(error?: Error): Promise<void> }[] = []
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const call = createSharedRuns<number, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        const results = items.map((item) => `${item} of run ${runs.length}`)
        runs.push({
          items,
          async end(error) {
            if (error === undefined) resolve(results)
            else reject(error)
            await turn()
          },
        })
      }),
    perRunMax,
    waitingMax,
  })
  return { runs, call }
}

test('callers that arrive during a run share the next one: two runs serve ten callers', async () => {
  const { runs, call } = controlled()
  const results = Promise.all(Array.from({ length: 10 }, (_, item) => call(item)))
  expect(runs.map(({ items }) => items)).toEqual([[0]])
  await runs[0]?.end()
  expect(runs[1]?.items).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  await runs[1]?.end()
  expect(await results).toEqual(Array.from({ length: 10 }, (_, item) => `${item} of run ${item === 0 ? 0 : 1}`))
  expect(runs).toHaveLength(2)
})

test('a run serves a bounded number of callers, in the order of their arrival', async () => {
  const { runs, call } = controlled({ perRunMax: 2 })
  const results = Promise.all([1, 2, 3, 4].map(call))
  for (let run = 0; run < 3; run += 1) await runs[run]?.end()
  expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3], [4]])
  expect(await results).toHaveLength(4)
})

test('the error of a run rejects its callers only', async () => {
  const { runs, call } = controlled()
  const [first, second] = [call(1), call(2)]
  const rejected = expect(first).rejects.toThrow('broken')
  await runs[0]?.end(new Error('broken'))
  await rejected
  await runs[1]?.end()
  expect(await second).toBe('2 of run 1')
})

test('a caller beyond those that may wait gets service_unavailable', async () => {
  const { runs, call } = controlled({ waitingMax: 1 })
  const served = Promise.all([call(1), call(2)])
  await expect(call(3)).rejects.toMatchObject({ code: 'service_unavailable' })
  await runs[0]?.end()
  await runs[1]?.end()
  expect(await served).toEqual(['1 of run 0', '2 of run 1'])
})
