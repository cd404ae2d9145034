import { expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import { type JsonSchema, toInputSchema } from '@payments/contracts/grammar/json-schema'
import { z } from 'zod'
import { findOversized } from '../src/request/oversized.ts'
import { parseRequest } from '../src/request/parse-request.ts'

const schema = z.strictObject({
  ids: z.array(z.uuid()).max(3).optional(),
  items: z.array(z.strictObject({ tags: z.array(z.string()) })).optional(),
  metadata: z.record(z.string(), z.string()).meta({ maxProperties: 2 }).optional(),
  either: z.union([z.string(), z.array(z.string()).max(2)]).optional(),
})
const many = <T>(count: number, value: T) => Array.from({ length: count }, () => value)
const fields = (count: number, value: unknown) =>
  Object.fromEntries(many(count, value).map((one, at) => [`k${at}`, one]))

test.each<[unknown, string, string]>([
  [{ ids: many(4, 1) }, '/ids', 'must have at most 3 items'],
  [{ items: [{ tags: [] }, { tags: many(1_001, 'a') }] }, '/items/1/tags', 'must have at most 1000 items'],
  [{ metadata: fields(3, []) }, '/metadata', 'must have at most 2 fields'],
  [{ either: many(3, 'a') }, '/either', 'must have at most 2 items'],
  [fields(55, 1), '', 'must have at most 54 fields'],
])('names what is too large: %#', (body, pointer, detail) => {
  expect(findOversized(schema, body)).toEqual({ pointer, detail })
})

test.each([
  [{ ids: many(3, 1), items: [{ tags: many(1_000, 'a') }], metadata: fields(2, 'a'), either: ['a', 'b'] }],
  [fields(50, 1)],
  ['text'],
  [null],
])('leaves the rest to the schema: %#', (body) => {
  expect(findOversized(schema, body)).toBeNull()
})

/** The value that a schema takes, with this many items in each array and record. */
function flood(shape: JsonSchema, count: number): unknown {
  const option = shape.anyOf?.find(({ type }) => type === 'array' || type === 'object')
  if (option !== undefined) return flood(option, count)
  if (shape.type === 'array') return many(count, [])
  if (shape.type !== 'object') return []
  if (typeof shape.additionalProperties === 'object') return fields(count, [])
  return Object.fromEntries(Object.entries(shape.properties ?? {}).map(([name, inner]) => [name, flood(inner, count)]))
}

const endpoints = contracts.flatMap(({ service, endpoints: all }) =>
  Object.entries(all).flatMap(([name, endpoint]) =>
    endpoint.body === undefined ? [] : [{ name: `${service}.${name}`, endpoint, schema: endpoint.body }],
  ),
)

test('no list and no record of a body costs by its items beyond the maximum, at any endpoint', () => {
  const slow = endpoints.flatMap(({ name, endpoint, schema: body }) => {
    const value = flood(toInputSchema(body), 60_000)
    if (JSON.stringify(value).length < 60_000) return []
    const before = process.cpuUsage()
    expect(() => parseRequest(endpoint, { params: {}, query: {}, body: value })).toThrow()
    const { user, system } = process.cpuUsage(before)
    const ms = (user + system) / 1_000
    return ms > 100 ? [`${name}: ${ms} ms`] : []
  })
  expect(slow).toEqual([])
})
