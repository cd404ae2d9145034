import { expect, test } from '@jest/globals'
import { upTo } from '../src/arguments.ts'

const failure = { exitCode: 1, message: 'The list does not end' }

test('reads a list to its limit, page by page, also behind empty pages', async () => {
  const items = async ({ limit, cursor = '0' }: { limit: number; cursor?: string }) => {
    const page = Number(cursor)
    const data = page % 2 === 0 ? [] : Array.from({ length: Math.min(limit, 4) }, () => page)
    return { data, next_cursor: `${page + 1}` }
  }
  expect(await upTo(10, items)).toEqual([1, 1, 1, 1, 3, 3, 3, 3, 5, 5])
})

test.each([
  ['a page that names itself as the next one', async () => ({ data: [1], next_cursor: 'again' })],
  [
    'empty pages',
    async ({ cursor = '0' }: { cursor?: string }) => ({ data: [], next_cursor: `${Number(cursor) + 1}` }),
  ],
])('a list of %s without an end is an error', async (_what, read) => {
  await expect(upTo<number>(1_000_000, read)).rejects.toMatchObject(failure)
})
