import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { contracts } from '../src/edges/contracts.ts'
import { contract, type Endpoint } from '../src/grammar/contract.ts'
import { type JsonSchema, toInputSchema } from '../src/grammar/json-schema.ts'

const created = contracts.flatMap(({ service, endpoints }) =>
  Object.entries<Endpoint>(endpoints)
    .filter(([, { replies }]) => 201 in replies)
    .map(([name, { location = '/', replies }]) => ({ name: `${service}.${name}`, location, replies })),
)

test('every location is filled with required text fields of its reply', () => {
  expect(created.length).toBeGreaterThan(10)
  for (const { name, location, replies } of created) {
    const reply = toInputSchema(replies[201] as z.ZodType)
    for (const [, path = ''] of location.matchAll(/\{([^}]+)\}/g)) {
      const field = path.split('.').reduce<JsonSchema>((at, step) => {
        expect([name, path, at.required]).toEqual([name, path, expect.arrayContaining([step])])
        return at.properties?.[step] ?? {}
      }, reply)
      expect([name, path, field.type]).toEqual([name, path, 'string'])
    }
  }
})

describe('a contract does not load', () => {
  const thing = z.object({ id: z.string() })
  const make =
    (replies: Endpoint['replies'], location?: `/${string}`, path: `/${string}` = '/things/{thing_id}') =>
    () =>
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
          read: { method: 'GET', path, audience: 'public', summary: 'Read a thing.', replies: { 200: thing } },
        },
      })
  test('with an endpoint that replies 201 without a location', () => {
    const complaint = 'a.make: an endpoint that replies 201, and no other, declares a location'
    expect(make({ 201: thing }, '/things/{id}')).not.toThrow()
    expect(make({ 200: thing, 201: thing })).toThrow(complaint)
    expect(make({ 200: thing }, '/things/{id}')).toThrow(complaint)
  })

  test('with a location that none of its GET endpoints reads', () => {
    const complaint = 'a.make: no GET of the contract has the path of its location'
    expect(make({ 201: thing }, '/things/{id}', '/things')).toThrow(complaint)
    expect(make({ 201: thing }, '/things')).toThrow(complaint)
  })
})
