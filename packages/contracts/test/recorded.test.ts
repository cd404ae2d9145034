import { describe, expect, test } from '@jest/globals'
import type { z } from 'zod'
import { contracts, problemsByCode } from '../src/edges/contracts.ts'
import { problemBody } from '../src/grammar/problem.ts'
import { hasExample, recorded } from '../src/openapi/recorded.ts'

/** The recorded examples fit the contracts. After a change of a contract: `npm run openapi:examples`. */
const operations = contracts.flatMap(({ service, endpoints }) =>
  Object.entries(endpoints)
    .filter(([, endpoint]) => hasExample(endpoint))
    .map(([name, endpoint]) => ({ service, name, endpoint, exchange: recorded[service]?.operations[name] })),
)

test('every operation of tenants has an example, and no other operation', () => {
  expect(operations.length).toBeGreaterThan(100)
  expect(operations.filter(({ exchange }) => exchange === undefined).map(({ name }) => name)).toEqual([])
  const names = Object.values(recorded).flatMap((one) => Object.keys(one.operations))
  expect(names.sort()).toEqual(operations.map(({ name }) => name).sort())
})

/** The members that the schema does not know are gone, and those with a default are there. */
const parseBySchema = (schema: z.ZodType | undefined | null, value: unknown) =>
  schema === undefined || schema === null ? undefined : schema.parse(value)

describe.each(operations)('the example of $name', ({ endpoint, exchange }) => {
  test('is a request that the contract accepts, and a response that it encodes without a change', () => {
    const { request, response } = exchange ?? { request: {}, response: { status: 0 } }
    expect(() => parseBySchema(endpoint.params, request.path ?? {})).not.toThrow()
    expect(() => parseBySchema(endpoint.query, request.query ?? {})).not.toThrow()
    expect(() => parseBySchema(endpoint.body, request.body)).not.toThrow()
    if (endpoint.body === undefined) expect(request.body).toBeUndefined()
    expect(Object.keys(endpoint.replies)).toContain(String(response.status))
    expect(parseBySchema(endpoint.replies[response.status as 200], response.body)).toEqual(response.body)
  })
})

test('the example of a problem has its title and status, and its members', () => {
  const examples = Object.values(recorded).flatMap(({ problems }) => Object.entries(problems))
  expect(examples.length).toBeGreaterThan(30)
  for (const [code, example] of examples) {
    const { status, title, members } = problemsByCode.get(code) ?? { status: 0, title: '' }
    expect(example).toMatchObject({ code, status, title, type: `/problems/${code}` })
    expect(() => problemBody.parse(example)).not.toThrow()
    expect(() => members?.parse(example)).not.toThrow()
  }
})

test('no example has a value of the machine that recorded it', () => {
  expect(JSON.stringify(recorded).match(/http:\/\/|127\.0\.0\.1|localhost|\/work\//g)).toBeNull()
})
