import { expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import fc from 'fast-check'
import { z } from 'zod'
import '../src/base/error-map.ts'

const messageFor = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map((i) => i.message)

test.each([
  ['a missing field', z.strictObject({ name: z.string() }), {}, 'is required'],
  ['a missing choice', z.strictObject({ kind: z.enum(['a', 'b']) }), {}, 'is required'],
  ['a number for text', z.string(), 1, 'must be a string'],
  ['text for a number', z.number(), 'x', 'must be a number'],
  ['text for a number in a query', z.coerce.number(), 'x', 'must be a number'],
  ['a fraction for an integer', z.int(), 1.5, 'must be an integer'],
  ['text for a truth value', z.boolean(), 'true', 'must be true or false'],
  ['an object for an array', z.array(z.string()), {}, 'must be an array'],
  ['an array for an object', z.strictObject({}), [], 'must be an object'],
  ['too small a number', z.number().min(1), 0, 'must be at least 1'],
  ['too large a number', z.number().max(200), 201, 'must be at most 200'],
  ['empty text', z.string().min(1), '', 'must not be empty'],
  ['too long a text', z.string().max(3), 'abcd', 'must have at most 3 characters'],
  ['too short an array', z.array(z.int()).min(1), [], 'must have at least 1 item'],
  ['too long an array', z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 items'],
  ['text that is no UUID', z.guid(), 'x', 'must be a UUID'],
  ['text that is no instant', z.iso.datetime(), 'x', 'must be an ISO 8601 instant, for example 2026-01-31T12:00:00Z'],
  ['a + that a query decoded', z.iso.datetime(), '2026-01-31T12:00:00 02:00', expect.stringContaining('written %2B')],
  ['a value outside an enumeration', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  ['another literal', z.literal('a'), 'c', 'must be a'],
])('%s has a message in our style', (_, schema, value, message) => {
  expect(messageFor(schema, value)).toEqual([message])
})

test('a message that a schema states has priority', () => {
  expect(messageFor(z.string().regex(/^a$/, 'must be a'), 'b')).toEqual(['must be a'])
})

const schemas = contracts.flatMap(({ service, endpoints }) =>
  Object.entries(endpoints).flatMap(([name, { params, query, body }]) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]) =>
      schema === undefined ? [] : [[`${service}.${name} ${part}`, schema as z.ZodType] as const],
    ),
  ),
)

const isOurs = (message: string) =>
  /^(is|must|has) /.test(message) && !/expected|received|invalid input|too (small|big)|unrecognized/i.test(message)

test('no text of the validation library reaches the caller of an endpoint', () => {
  expect(schemas.length).toBeGreaterThan(100)
  for (const [name, schema] of schemas) {
    const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : ['name', 'config', 'type']
    const value = fc.dictionary(fc.constantFrom(...fields, 'other'), fc.jsonValue({ maxDepth: 2 }))
    const parsed = fc.property(fc.oneof(value, fc.jsonValue()), (given) => {
      const foreign = (messageFor(schema, given) ?? []).filter((message) => !isOurs(message))
      expect({ name, foreign }).toEqual({ name, foreign: [] })
    })
    fc.assert(parsed, { numRuns: 100 })
  }
})
