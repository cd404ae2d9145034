import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { contracts } from '../src/edges/contracts.ts'
import { type Contract, contract } from '../src/grammar/contract.ts'
import { text, uuid } from '../src/grammar/field.ts'
import { auditRecord } from '../src/services/audit/contract.ts'

/**
 * Texts of callers and tokens flow into replies, events and audit records. Every text that the entry accepts is tried
 * there: each kind of character, at the greatest length. A narrower schema at the end would fail after the work
 * is done, such as after a payment.
 */

/** A field of an object, wherever it is nested: its name, and a schema of values that are no objects. */
interface Field {
  readonly name: string
  readonly path: string
  readonly schema: z.ZodType
}

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly innerType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly in?: z.ZodType
  readonly options?: readonly z.ZodType[]
}

const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition

/** The schemas inside of wrappers: of an optional, a default, a pipe, each option of a union. */
function withoutWrappers(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: input, options } = definitionOf(schema)
  const inner = options ?? [innerType ?? input].flatMap((one) => one ?? [])
  return inner.length === 0 ? [schema] : inner.flatMap(withoutWrappers)
}

function fieldsIn(schema: z.ZodType, path: string): Field[] {
  return withoutWrappers(schema).flatMap((one) => {
    const { shape, element, valueType } = definitionOf(one)
    if (element !== undefined) return fieldsIn(element, path)
    if (valueType !== undefined) return fieldsIn(valueType, path)
    return Object.entries(shape ?? {}).flatMap(([name, inner]) => {
      const nested = fieldsIn(inner, `${path}.${name}`)
      return nested.length > 0 ? nested : [{ name, path: `${path}.${name}`, schema: inner }]
    })
  })
}

const characters = [
  'a',
  'Z',
  '0',
  ':',
  '+',
  '"',
  '\\',
  '<',
  ' ',
  '\n',
  '\u0001',
  '\u007f',
  '\u20ac',
  'e\u0301',
  '\ufb01',
  '\u{1f600}',
]
/** Fields without a greatest length are tried with this one. */
const unlimited = 1_000

function lengthMaxOf(schema: z.ZodType): number {
  const lengths = withoutWrappers(schema).map((one) => (one instanceof z.ZodString ? one.maxLength : null))
  return Math.max(0, ...lengths.map((length) => length ?? 0)) || unlimited
}

/** The values that the entry accepts, as a handler gets them. */
function accepted({ schema }: Field): string[] {
  const max = lengthMaxOf(schema)
  return characters.flatMap((character) => {
    const longest = character.repeat(Math.floor(max / character.length))
    return [character, `a${character}a`, `a${longest.slice(2 * character.length)}a`, longest].flatMap((value) => {
      const { data } = schema.safeParse(value)
      return typeof data === 'string' ? [data] : []
    })
  })
}

/** Names of fields that say who did something. Each actor of an assertion can be there. */
const isActorName = (name: string) => name.endsWith('_by') && name !== 'group_by' && name !== 'canceled_by'

const subject: Field = { name: 'subject', path: 'token.sub', schema: text(255) }
const actorNames = accepted(subject).map((value) => `user:${value}`)

const entriesOf = ({ service, endpoints }: Contract): Field[] =>
  Object.entries(endpoints).flatMap(([name, { audience, body }]) =>
    body === undefined || audience === 'internal' ? [] : fieldsIn(body, `${service}.${name}`),
  )

const exitsOf = ({ service, endpoints, events, internalEvents = {} }: Contract): Field[] => [
  ...Object.entries(endpoints).flatMap(([name, { replies }]) =>
    Object.values(replies).flatMap((reply) => (reply == null ? [] : fieldsIn(reply, `${service}.${name}`))),
  ),
  ...Object.entries({ ...events, ...internalEvents }).flatMap(([type, { payload }]) => fieldsIn(payload, type)),
]

/** Flows that are rejected at the end: `entry field -> exit field`, each once. */
function rejections(checked: Contract): string[] {
  const entries = entriesOf(checked)
  const found = exitsOf(checked).flatMap((exit) => {
    const same = entries.filter((entry) => flows(entry, exit))
    const sources = same.map((entry) => ({ from: entry.path, values: accepted(entry) }))
    const isActor = isActorName(exit.name) || /\bactor\.id$/.test(exit.path)
    const prefixed = isActorName(exit.name) ? actorNames : accepted(subject)
    if (isActor) sources.push({ from: subject.path, values: prefixed })
    return sources.flatMap(({ from, values }) =>
      values.some((value) => !exit.schema.safeParse(value).success) ? [`${from} -> ${exit.path}`] : [],
    )
  })
  return [...new Set(found)]
}

/** A field of a nested object flows to the same object. A field of the body flows to a resource of any name. */
function flows(entry: Field, exit: Field): boolean {
  const parent = parentOf(entry)
  const isSame = entry.name === exit.name && (parent === null || parent === parentOf(exit))
  return isSame && !unrelated.some((end) => exit.path.endsWith(end))
}

/** Null in the body itself: a path begins with service and operation. */
function parentOf({ path }: Field): string | null {
  const names = path.split('.')
  return names.length <= 3 ? null : (names.at(-2) ?? null)
}

/** Ends with the name of a field of a body, and another meaning. */
const unrelated = [
  '.checkPaymentOrchestrator.reason',
  '.held.reason',
  '.subscriptions.disabled.reason',
  '.variables.name',
  '.listPermissions.data.name',
]

describe('every text of a caller or a token is accepted by the replies and events that it flows into', () => {
  test.each(contracts.map((one) => [one.service, one] as const))('%s', (_service, checked) => {
    expect(rejections(checked)).toEqual([])
  })

  test('each contract with texts has flows to try', () => {
    const tried = contracts.flatMap(entriesOf).filter((entry) => accepted(entry).length > 0)
    expect(tried.length).toBeGreaterThan(50)
    expect(contracts.flatMap(exitsOf).filter(({ name }) => isActorName(name)).length).toBeGreaterThan(5)
  })

  test('an audit record has every subject', () => {
    for (const id of accepted(subject))
      expect(auditRecord.shape.actor.safeParse({ type: 'user', id }).success).toBe(true)
  })
})

describe('the test finds a planted fault', () => {
  const planted = (entry: z.ZodType, exit: z.ZodType) =>
    contract({
      service: 'a',
      description: 'A.',
      problems: {},
      endpoints: {
        make: {
          method: 'POST',
          path: '/v1/a/x',
          audience: 'authenticated',
          summary: 'Make.',
          body: z.strictObject({ thing: z.strictObject({ note: entry.optional() }) }),
          replies: { 200: z.object({ id: uuid }) },
        },
      },
      events: { 'a.x.make': { description: 'A.', scope: 'tenant', payload: z.object({ thing: exit }) } },
    })

  test.each<[string, z.ZodType, z.ZodType]>([
    ['a shorter text', text(200), z.object({ note: text(100).nullable() })],
    ['other characters', text(200), z.object({ note: z.string().regex(/^[^\n]*$/) })],
    ['an actor that is a UUID', text(1), z.object({ actor: z.object({ id: uuid.nullable() }).nullable() })],
    ['an author that is shorter', text(1), z.object({ created_by: z.string().max(255) })],
  ])('%s', (_fault, entry, exit) => {
    expect(rejections(planted(entry, exit))).toHaveLength(1)
  })

  test('and none where the end is as wide', () => {
    expect(rejections(planted(text(200), z.object({ note: z.string().nullable() })))).toEqual([])
  })
})
