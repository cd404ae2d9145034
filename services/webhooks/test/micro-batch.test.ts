import { describe, expect, test } from '@jest/globals'
import { microBatch } from '../src/micro-batch.ts'

const outage = () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' })

describe('micro-batch', () => {
  test('what comes together goes out together, at most itemsMax at once, and each gets its own result', async () => {
    const sizes: number[] = []
    const double = microBatch(
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

  test('one alone does not wait for others', async () => {
    const same = microBatch(async (items: readonly string[]) => items, { itemsMax: 100, waitMsMax: 5 })
    expect(await same('alone')).toBe('alone')
  })

  test('when something is away all fail with that, tried once', async () => {
    let runs = 0
    const failing = microBatch(async (): Promise<string[]> => {
      runs += 1
      throw outage()
    })
    const settled = await Promise.allSettled(['a', 'b', 'c'].map(failing))
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(runs).toBe(1)
  })

  test('an item that nothing can be done with fails alone', async () => {
    const picky = microBatch(async (items: readonly string[]) => {
      if (items.includes('poison')) throw new Error('invalid input')
      return items
    })
    const settled = await Promise.allSettled(['a', 'poison', 'c'].map(picky))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
