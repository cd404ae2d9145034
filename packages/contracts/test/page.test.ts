import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { contracts } from '../src/edges/contracts.ts'
import { cursorAt, pageAt, pageByName, positionBehind } from '../src/grammar/page.ts'
import { Problem } from '../src/grammar/problem.ts'

test('every list takes limit and cursor, limit from 1 to 200, and returns next_cursor', () => {
  const lists = contracts.flatMap(({ service, endpoints }) =>
    Object.entries(endpoints).flatMap(([name, { method, replies, query }]) => {
      const reply = replies[200]
      const shapes = reply ? listProperties(reply) : []
      return method === 'GET' && shapes.some((shape) => 'data' in shape)
        ? [{ name: `${service}.${name}`, shapes, query }]
        : []
    }),
  )
  expect(lists.length).toBeGreaterThanOrEqual(15)
  for (const { name, shapes, query } of lists) {
    expect([name, shapes.every((shape) => 'next_cursor' in shape)]).toEqual([name, true])
    const { limit, cursor } = listProperties(query ?? z.object())[0] as Record<string, { minimum?: number }>
    expect([name, cursor !== undefined, limit]).toEqual([
      name,
      true,
      expect.objectContaining({ minimum: 1, maximum: 200 }),
    ])
  }
})

test('an integer of a query has decimal digits alone', () => {
  const integers = contracts.flatMap(({ service, endpoints }) =>
    Object.entries(endpoints).flatMap(([name, { query }]) =>
      Object.entries(query === undefined ? {} : (listProperties(query)[0] as Record<string, { type?: string }>))
        .filter(([, { type }]) => type === 'integer' || type === 'number')
        .map(([field]) => ({ name: `${service}.${name} ${field}`, field, query: query as z.ZodType })),
    ),
  )
  expect(integers.length).toBeGreaterThanOrEqual(30)
  const listMessages = (query: z.ZodType, field: string, value: string) =>
    (query.safeParse({ [field]: value }).error?.issues ?? [])
      .filter(({ path }) => path[0] === field)
      .map(({ message }) => message)
  for (const { name, field, query } of integers) {
    for (const written of ['0x10', '0b11', '1e1', '+5', '1.0', ' 5', '', 'five', '９']) {
      expect([name, listMessages(query, field, written)]).toEqual([name, ['must be an integer in digits']])
    }
    expect([name, listMessages(query, field, '150')]).toEqual([
      name,
      expect.not.arrayContaining(['must be an integer in digits']),
    ])
  }
})

function listProperties(schema: z.ZodType): Record<string, unknown>[] {
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return (shape.anyOf ?? [shape]).map(({ properties = {} }) => properties)
}

test('a page by position has the cursor of its last item, and the last page has none', () => {
  const rows = [1, 2, 3].map((count) => ({ count }))
  const page = (limit: number) =>
    pageAt(
      rows,
      limit,
      ({ count }) => [count],
      ({ count }) => `${count}`,
    )
  expect(page(2)).toEqual({ data: ['1', '2'], next_cursor: cursorAt([2]) })
  expect(page(3)).toEqual({ data: ['1', '2', '3'], next_cursor: null })
  expect(pageAt([], 3, () => [], String)).toEqual({ data: [], next_cursor: null })
})

test('a page by name stays correct while items come and go', () => {
  const page = (items: string[], cursor?: string) => pageByName(items, (name) => name, { limit: 2, cursor })
  const first = page(['d', 'a', 'c', 'b'])
  expect(first.data).toEqual(['a', 'b'])
  // The last item shown is gone, and there is another before it and behind it.
  expect(page(['d', 'a', 'aa', 'bb', 'c'], first.next_cursor ?? '')).toEqual({
    data: ['bb', 'c'],
    next_cursor: cursorAt(['c']),
  })
  expect(page(['d', 'c'], cursorAt(['b']))).toEqual({ data: ['c', 'd'], next_cursor: null })
  expect(page([])).toEqual({ data: [], next_cursor: null })
})

test.each([
  ['is not JSON', 'bm8'],
  ['is of another list', cursorAt([1, 'a', 'b'])],
  ['is written in another way', Buffer.from('[ 1, "a" ]').toString('base64url')],
  ['is not base64url as we write it', `${cursorAt([1, 'a'])}=`],
])('a cursor that %s is refused', (_case, cursor) => {
  const position = z.tuple([z.int(), z.string()])
  expect(positionBehind(cursorAt([1, 'a']), position)).toEqual([1, 'a'])
  expect(() => positionBehind(cursor, position)).toThrow(Problem)
})
