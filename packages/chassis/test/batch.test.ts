import { describe, expect, test } from '@jest/globals'
import { Batch, type BatchOptions } from '../src/base/batch.ts'

/** Errors of one item, unless the message names all of them. */
const failsAll = (error: unknown) => error instanceof Error && error.message === 'all'

/** The `add` of a batch. */
function createBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  options: BatchOptions<Item> = {},
): (item: Item) => Promise<Result> {
  const batch = new Batch(run, { failsAll, ...options })
  return (item) => batch.add(item)
}

describe('a batch', () => {
  test('joins items that arrive together, at most itemsMax, and returns each its own result', async () => {
    const sizes: number[] = []
    const double = createBatch(
      async (items: readonly number[]) => {
        sizes.push(items.length)
        return items.map((item) => item * 2)
      },
      { itemsMax: 100, waitMsMax: 5 },
    )
    const numbers = Array.from({ length: 250 }, (_, index) => index)
    expect(await Promise.all(numbers.map(double))).toEqual(numbers.map((number) => number * 2))
    expect(sizes).toEqual([100, 100, 50])
  })

  test('joins items that arrive during a run, and runs them after it or after waitMsMax', async () => {
    const ends: (() => void)[] = []
    const batches: string[] = []
    const slow = createBatch(
      async (items: readonly string[]) => {
        batches.push(items.join(''))
        await new Promise<void>((resolve) => ends.push(resolve))
        return items
      },
      { itemsMax: 100, waitMsMax: 200 },
    )
    const reached = async (count: number) => {
      while (batches.length < count) await new Promise((resolve) => setImmediate(resolve))
    }
    const first = slow('a')
    await reached(1)
    const second = [slow('b'), slow('c')]
    ends[0]?.()
    await reached(2)
    const third = slow('d')
    await reached(3)
    for (const end of ends) end()
    expect(await Promise.all([first, ...second, third])).toEqual(['a', 'b', 'c', 'd'])
    expect(batches).toEqual(['a', 'bc', 'd'])
  })

  test('a single item does not wait for others', async () => {
    const same = createBatch(async (items: readonly string[]) => items, { itemsMax: 100, waitMsMax: 5 })
    expect(await same('alone')).toBe('alone')
  })

  test('an error of all items fails each of them after one run', async () => {
    let runs = 0
    const failing = createBatch(async (): Promise<string[]> => {
      runs += 1
      throw new Error('all')
    })
    const settled = await Promise.allSettled(['a', 'b', 'c'].map(failing))
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(runs).toBe(1)
  })

  test('a batch has items of at most the maximum size, and a larger item is a batch of its own', async () => {
    const batches: number[][] = []
    const sized = createBatch(
      async (items: readonly number[]) => {
        batches.push([...items])
        return items
      },
      { size: { of: (item) => item, max: 10 }, runningMax: 1 },
    )
    const items = [4, 4, 4, 30, 1, 2, 10]
    expect(await Promise.all(items.map(sized))).toEqual(items)
    expect(batches).toEqual([[4, 4], [4], [30], [1, 2], [10]])
  })

  test('with a maximum of one running batch, full batches run one after the other', async () => {
    let running = 0
    const counts: number[] = []
    const alone = createBatch(
      async (items: readonly number[]) => {
        running += 1
        counts.push(running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return items
      },
      { itemsMax: 3, waitMsMax: 0, runningMax: 1 },
    )
    const items = Array.from({ length: 20 }, (_, index) => index)
    expect(await Promise.all(items.map(alone))).toEqual(items)
    expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1])
  })

  test('finds one invalid item among many in a number of runs that grows with the logarithm', async () => {
    let runs = 0
    const picky = createBatch(async (items: readonly number[]) => {
      runs += 1
      if (items.includes(21)) throw new Error('invalid input')
      return items
    })
    const items = Array.from({ length: 64 }, (_, index) => index)
    const settled = await Promise.allSettled(items.map(picky))
    expect(settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([21])
    expect(runs).toBe(13)
  })

  test('an invalid item fails alone', async () => {
    const picky = createBatch(async (items: readonly string[]) => {
      if (items.includes('poison')) throw new Error('invalid input')
      return items
    })
    const settled = await Promise.allSettled(['a', 'poison', 'c'].map(picky))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})

/** Runs that the test ends, each with the items that it serves. One at a time, without a wait before the first. */
function createControlledBatch(options: BatchOptions<number> = {}) {
  const runs: { readonly items: readonly number[]; end(error?: Error): Promise<void> }[] = []
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const run = (items: readonly number[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      const results = items.map((item) => `${item} of run ${runs.length}`)
      runs.push({
        items,
        async end(error) {
          if (error === undefined) resolve(results)
          else reject(error)
          await turn()
        },
      })
    })
  const batch = new Batch(run, { runningMax: 1, gatherMs: 0, ...options })
  return { runs, batch, add: (item: number) => batch.add(item) }
}

describe('a batch without a wait and with one run at a time', () => {
  test('items that arrive during a run share the next one: two runs serve ten callers', async () => {
    const { runs, add } = createControlledBatch()
    const results = Promise.all(Array.from({ length: 10 }, (_, item) => add(item)))
    expect(runs.map(({ items }) => items)).toEqual([[0]])
    await runs[0]?.end()
    expect(runs[1]?.items).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    await runs[1]?.end()
    expect(await results).toEqual(Array.from({ length: 10 }, (_, item) => `${item} of run ${item === 0 ? 0 : 1}`))
    expect(runs).toHaveLength(2)
  })

  test('a run serves a bounded number of callers, in the order of their arrival', async () => {
    const { runs, add } = createControlledBatch({ itemsMax: 2 })
    const results = Promise.all([1, 2, 3, 4].map(add))
    for (let run = 0; run < 3; run += 1) await runs[run]?.end()
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3], [4]])
    expect(await results).toHaveLength(4)
  })

  test('the error of a run rejects its callers only, and none of them runs alone', async () => {
    const { runs, add } = createControlledBatch()
    const [first, second, third] = [add(1), add(2), add(3)]
    await runs[0]?.end()
    const rejected = Promise.allSettled([second, third])
    const fourth = add(4)
    await runs[1]?.end(new Error('broken'))
    expect((await rejected).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await runs[2]?.end()
    expect(await Promise.all([first, fourth])).toEqual(['1 of run 0', '4 of run 2'])
  })

  test('a caller beyond those that may wait gets service_unavailable', async () => {
    const { runs, add } = createControlledBatch({ waitingMax: 1 })
    const served = Promise.all([add(1), add(2)])
    await expect(add(3)).rejects.toMatchObject({ code: 'service_unavailable' })
    await runs[0]?.end()
    await runs[1]?.end()
    expect(await served).toEqual(['1 of run 0', '2 of run 1'])
  })
})

describe('a batch that gathers items for a time', () => {
  test('runs when the time of its first item is over, or as soon as it is full', async () => {
    const { runs, add } = createControlledBatch({ gatherMs: 50, itemsMax: 3 })
    // A timer counts from the begin of its turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    const startedAt = performance.now()
    const first = [add(1), add(2)]
    expect(runs).toEqual([])
    while (runs.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(40)
    await runs[0]?.end()
    const second = [add(3), add(4), add(5)]
    expect(runs.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4, 5],
    ])
    await runs[1]?.end()
    expect(await Promise.all([...first, ...second])).toHaveLength(5)
  })

  test('a flush ends the wait, and resolves when each added item has ended, also by a failure', async () => {
    const { runs, batch, add } = createControlledBatch({ gatherMs: 600_000, itemsMax: 2 })
    const results = Promise.allSettled([1, 2, 3].map(add))
    let isFlushed = false
    const flushed = batch.flush().then(() => {
      isFlushed = true
    })
    await runs[0]?.end(new Error('broken'))
    expect(isFlushed).toBe(false)
    await runs[1]?.end()
    await flushed
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    await batch.flush()
    expect(runs).toHaveLength(2)
  })
})
