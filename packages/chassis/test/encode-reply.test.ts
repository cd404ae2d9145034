import { expect, test } from '@jest/globals'
import { page } from '@payments/contracts/grammar/page'
import { z } from 'zod'
import { encodeReply } from '../src/request/encode-reply.ts'

const letters = page(z.object({ id: z.string(), attempt_count: z.int() }))
const groups = page(z.object({ key: z.string(), count: z.int() }))
const letter = { id: 'a', attempt_count: 1 }

test.each([
  ['a list', letters],
  ['a list that may be one of groups', z.union([letters, groups])],
  ['the second of two lists', z.union([groups, letters])],
])('%s shows the items that match its contract, and names the others', (_, schema) => {
  const reported: unknown[] = []
  const body = { data: [letter, { id: 'b', attempt_count: 'two' }], next_cursor: null }
  const encoded = encodeReply(schema, body, ({ ids }) => reported.push(ids))
  expect(encoded).toEqual({ data: [letter], next_cursor: null, unreadable: [{ id: 'b' }] })
  expect(reported).toEqual([['b']])
})

test('a group without an id is named as one', () => {
  const body = {
    data: [
      { key: 'a', count: 1 },
      { key: 'b', count: 1.5 },
    ],
    next_cursor: null,
  }
  expect(encodeReply(z.union([letters, groups]), body, () => undefined)).toMatchObject({
    data: [{ key: 'a', count: 1 }],
    unreadable: [{ id: null }],
  })
})

test('a union of other replies that its contract rejects is a bug', () => {
  const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
  expect(() => encodeReply(schema, { a: 1 }, () => undefined)).toThrow(z.ZodError)
})
