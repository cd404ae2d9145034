import { expect, test } from '@jest/globals'
import type { z } from 'zod'
import { contracts } from '../src/edges/contracts.ts'
import type { Endpoint } from '../src/grammar/contract.ts'
import { toInputSchema } from '../src/grammar/json-schema.ts'
import { limitMax } from '../src/grammar/page.ts'

/** Every endpoint whose reply has `data`, or is a bare array, is a list. */
const lists = contracts.flatMap(({ service, endpoints }) =>
  Object.entries<Endpoint>(endpoints)
    .filter(([, { method, replies }]) => method === 'GET' && replies[200] && isList(replies[200]))
    .map(([name, endpoint]) => [`${service}.${name}`, endpoint] as const),
)

function isList(reply: z.ZodType): boolean {
  const schema = toInputSchema(reply)
  return (schema.anyOf ?? [schema]).some(
    ({ type, properties }) => type === 'array' || properties?.['data'] !== undefined,
  )
}

test('every list takes limit, 1 to 200, and cursor, and replies next_cursor', () => {
  const shapes = lists.map(([name, { query, replies }]) => {
    const { limit, cursor } = query === undefined ? {} : (toInputSchema(query).properties ?? {})
    const reply = toInputSchema(replies[200] as z.ZodType)
    return { name, limit, cursor, required: (reply.anyOf ?? [reply]).map(({ required }) => required) }
  })
  const expected = shapes.map(({ name, required }) => ({
    name,
    limit: expect.objectContaining({ type: 'integer', minimum: 1, maximum: limitMax }),
    cursor: expect.objectContaining({ type: 'string' }),
    required: required.map(() => ['data', 'next_cursor']),
  }))
  expect(shapes).toEqual(expected)
})

test('the contracts have the short lists too', () => {
  expect(lists.map(([name]) => name)).toEqual(
    expect.arrayContaining(['rbac.listPermissions', 'webhooks.listEventTypes', 'api-key.readKeyPermissions']),
  )
})
