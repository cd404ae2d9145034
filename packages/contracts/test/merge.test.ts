import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { contracts } from '../src/edges/contracts.ts'
import type { Contract } from '../src/grammar/contract.ts'
import { text } from '../src/grammar/field.ts'
import { withoutWrappers } from './flow-fields.ts'

/**
 * Objects in the body of a PATCH merge by member, and null removes a member (RFC 7396). The schema of such an object
 * accepts each member alone, fills in none, and accepts null for each. Lists are replaced.
 */

interface Member {
  readonly path: string
  readonly schema: z.ZodType
}

/** The members of an object or a record. Null: the schema is of other values. */
function listMembers({ path, schema }: Member): Member[] | null {
  const inner = withoutWrappers(schema).map((one) => {
    if (one instanceof z.ZodObject) {
      return Object.entries(one.shape).map(([name, member]) => ({
        path: `${path}.${name}`,
        schema: member as z.ZodType,
      }))
    }
    if (one instanceof z.ZodRecord) return [{ path: `${path}.*`, schema: one.valueType as z.ZodType }]
    return null
  })
  const found = inner.flatMap((members) => members ?? [])
  return inner.every((members) => members === null) ? null : found
}

/** The objects in the bodies of every PATCH, however deep. */
const objectsIn = ({ service, endpoints }: Contract): Member[] =>
  Object.entries(endpoints).flatMap(([operation, { method, body }]) =>
    method !== 'PATCH' || body === undefined
      ? []
      : (listMembers({ path: `${service}.${operation}`, schema: body }) ?? []).flatMap(nestedObjects),
  )

function nestedObjects(member: Member): Member[] {
  const members = listMembers(member)
  return members === null ? [] : [member, ...members.flatMap(nestedObjects)]
}

/** The members that a change cannot leave alone or remove, and the object itself if it fills in members. */
function findUnmerged(one: Member): string[] {
  const empty = one.schema.safeParse({})
  const isAlone = empty.success && Object.keys(empty.data as object).length === 0
  const fixed = (listMembers(one) ?? []).filter(({ schema }) => !schema.safeParse(null).success)
  return [...(isAlone ? [] : [one.path]), ...fixed.map(({ path }) => path)]
}

/** Objects that a PATCH replaces, each with its reason. */
const replaced: Readonly<Record<string, string>> = {
  'business-unit.updatePaymentOrchestrator.gateway_authentication':
    'Credentials are write-only: their change names all of them, so none stays that the caller does not know.',
}

describe('objects of a PATCH merge by member', () => {
  const objects = contracts.flatMap(objectsIn).filter(({ path }) => replaced[path] === undefined)

  test.each(objects.map((one) => [one.path, one] as const))('%s', (_path, one) => {
    expect(findUnmerged(one)).toEqual([])
  })

  test('each of them says that null removes a member', () => {
    expect(objects.length).toBeGreaterThanOrEqual(5)
    const silent = objects.filter(({ schema }) => !/null removes/i.test(collectDescriptions(schema)))
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('each exception is an object of a PATCH that is replaced', () => {
    const all = contracts.flatMap(objectsIn)
    for (const path of Object.keys(replaced)) {
      const one = all.find((object) => object.path === path)
      expect([path, one === undefined ? [] : findUnmerged(one)]).not.toEqual([path, []])
    }
  })
})

/** Of the schema and of its wrappers. */
function collectDescriptions(schema: z.ZodType): string {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType }
  return `${schema.description ?? ''} ${innerType === undefined ? '' : collectDescriptions(innerType)}`
}

test.each<[string, z.ZodType, string[]]>([
  ['a required member', z.strictObject({ note: text(10).nullable() }), ['thing']],
  ['a member that null does not remove', z.strictObject({ note: text(10).optional() }), ['thing.note']],
  ['a member that is filled in', z.strictObject({ note: text(10).nullable().default(null) }), ['thing']],
  ['a record without null', z.record(text(10), text(10)), ['thing.*']],
  ['a record that merges', z.record(text(10), text(10).nullable()), []],
  ['an object that merges', z.strictObject({ note: text(10).nullable() }).partial(), []],
])('the test finds a planted fault: %s', (_fault, schema, expected) => {
  const found = nestedObjects({ path: 'thing', schema: schema.optional() }).flatMap(findUnmerged)
  expect(found).toEqual(expected)
})
