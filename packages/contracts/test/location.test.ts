import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { contracts } from '../src/edges/contracts.ts'
import { contract, type Endpoint } from '../src/grammar/contract.ts'
import { inputSchemaOf, type JsonSchema } from '../src/grammar/json-schema.ts'

const created = contracts.flatMap(({ service, endpoints }) =>
  Object.entries<Endpoint>(endpoints)
    .filter(([, { replies }]) => 201 in replies)
    .map(([name, { location = '/', replies }]) => ({ name: `${service}.${name}`, service, location, replies })),
)

const shapeOf = (path: string) => path.replaceAll(/\{[^}]+\}/g, '{}')

test('every location is a path that a GET of its service reads', () => {
  const readable = contracts.flatMap(({ service, endpoints }) =>
    Object.values<Endpoint>(endpoints)
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => `${service} ${shapeOf(path)}`),
  )
  expect(created.length).toBeGreaterThan(10)
  expect(created.filter(({ service, location }) => !readable.includes(`${service} ${shapeOf(location)}`))).toEqual([])
})

test('every location is filled with required text fields of its reply', () => {
  for (const { name, location, replies } of created) {
    const reply = inputSchemaOf(replies[201] as z.ZodType)
    for (const [, path = ''] of location.matchAll(/\{([^}]+)\}/g)) {
      const field = path.split('.').reduce<JsonSchema>((at, step) => {
        expect([name, path, at.required]).toEqual([name, path, expect.arrayContaining([step])])
        return at.properties?.[step] ?? {}
      }, reply)
      expect([name, path, field.type]).toEqual([name, path, 'string'])
    }
  }
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
