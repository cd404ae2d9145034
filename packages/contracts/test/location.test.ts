import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { contracts } from '../src/edges/contracts.ts'
import { contract, type Endpoint } from '../src/grammar/contract.ts'
import { inputSchemaOf, type JsonSchema } from '../src/grammar/json-schema.ts'

const created = contracts.flatMap(({ service, endpoints }) =>
  Object.entries<Endpoint>(endpoints)
    .filter(([, { replies }]) => 201 in replies)
    .map(([name, endpoint]) => ({ name: `${service}.${name}`, service, endpoint })),
)

const shapeOf = (path: string) => path.replaceAll(/\{[^}]+\}/g, '{}')

describe.each(created)('$name', ({ service, endpoint }) => {
  const { location = '/', replies } = endpoint

  test('has a location that a GET of its service reads', () => {
    const readable = contracts
      .filter((one) => one.service === service)
      .flatMap((one) => Object.values<Endpoint>(one.endpoints))
      .filter(({ method }) => method === 'GET')
    expect(readable.map(({ path }) => shapeOf(path))).toContain(shapeOf(location))
  })

  test('fills its location with required text fields of its reply', () => {
    const reply = inputSchemaOf(replies[201] as z.ZodType)
    for (const [, path = ''] of location.matchAll(/\{([^}]+)\}/g)) {
      const field = path.split('.').reduce<JsonSchema>((at, name) => {
        expect([path, at.required]).toEqual([path, expect.arrayContaining([name])])
        return at.properties?.[name] ?? {}
      }, reply)
      expect([path, field.type]).toEqual([path, 'string'])
    }
  })
})

test('a contract does not load with an endpoint that replies 201 without a location', () => {
  const make = (replies: Endpoint['replies'], location?: '/things/{id}') => () =>
    contract({
      service: 'a',
      description: 'A.',
      problems: {},
      events: {},
      endpoints: {
        make: {
          method: 'POST',
          path: '/things',
          audience: 'public',
          summary: 'Make a thing.',
          replies,
          ...(location === undefined ? {} : { location }),
        },
      },
    })
  const thing = z.object({ id: z.string() })
  const complaint = 'a.make: an endpoint that replies 201, and no other, declares a location'
  expect(make({ 201: thing }, '/things/{id}')).not.toThrow()
  expect(make({ 200: thing, 201: thing })).toThrow(complaint)
  expect(make({ 200: thing }, '/things/{id}')).toThrow(complaint)
})
