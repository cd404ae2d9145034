import { z } from 'zod'
import type { Contract } from '../src/grammar/contract.ts'
import { text } from '../src/grammar/field.ts'
import { recipientOfEither } from '../src/nouns/communication-text.ts'

/** The fields of contracts into which callers enter texts, and those into which texts flow. */

/** A field of an object, wherever it is nested: its name, and a schema of values that are no objects. */
export interface Field {
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

/** The body checks its recipient by the channel. */
const isRecipientText = (value: unknown) => typeof value !== 'string' || recipientOfEither[0](value)

const readDefinition = (schema: z.ZodType) => schema.def as unknown as Definition

/** The schemas inside of wrappers: of an optional, a default, a pipe, each option of a union. */
export function withoutWrappers(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: input, options } = readDefinition(schema)
  const inner = options ?? [innerType ?? input].flatMap((one) => one ?? [])
  return inner.length === 0 ? [schema] : inner.flatMap(withoutWrappers)
}

function fieldsIn(schema: z.ZodType, path: string): Field[] {
  return withoutWrappers(schema).flatMap((one) => {
    const { shape, element, valueType } = readDefinition(one)
    if (element !== undefined) return fieldsIn(element, path)
    if (valueType !== undefined) return fieldsIn(valueType, path)
    return Object.entries(shape ?? {}).flatMap(([name, inner]) => {
      const nested = fieldsIn(inner, `${path}.${name}`)
      if (name === 'recipient') return [{ name, path: `${path}.${name}`, schema: inner.refine(isRecipientText) }]
      return nested.length > 0 ? nested : valuesIn(inner).map((one) => ({ name, path: `${path}.${name}`, schema: one }))
    })
  })
}

/** The schema itself, or those of the values of a list or record. */
function valuesIn(schema: z.ZodType): z.ZodType[] {
  const inner = withoutWrappers(schema).flatMap((one) => {
    const { element, valueType } = readDefinition(one)
    return element ?? valueType ?? []
  })
  return inner.length === 0 ? [schema] : inner.flatMap(valuesIn)
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
/** Texts that fields with a form accept: an address with long parts, a phone number, a locale, a time zone. */
const wholeTexts = [
  `${'a'.repeat(64)}@${Array(3).fill('a'.repeat(60)).join('.')}.com`,
  '+4930123456',
  'de-AT',
  'Europe/Berlin',
]
/** Fields without a greatest length are tried with this one. */
const unlimited = 1_000

function findLengthMax(schema: z.ZodType): number {
  const lengths = withoutWrappers(schema).map((one) => (one instanceof z.ZodString ? one.maxLength : null))
  return Math.max(0, ...lengths.map((length) => length ?? 0)) || unlimited
}

/** The values that the entry accepts, as a handler gets them. */
export function findAccepted({ schema }: Field): string[] {
  const max = findLengthMax(schema)
  return characters.flatMap((character) => {
    const longest = character.repeat(Math.floor(max / character.length))
    const values = [character, `a${character}a`, `a${longest.slice(2 * character.length)}a`, longest]
    const written = [`a${character}a@example.com`, `https://example.com/a${character}a`]
    return [...values, ...written, ...wholeTexts].flatMap((value) => {
      const { data } = schema.safeParse(value)
      return typeof data === 'string' ? [data] : []
    })
  })
}

/** Names of fields that say who did something. Each actor of an assertion can be there. */
export const isActorName = (name: string) => name.endsWith('_by') && name !== 'group_by' && name !== 'canceled_by'

export const subject: Field = { name: 'subject', path: 'token.sub', schema: text(255) }
export const actorNames = findAccepted(subject).map((value) => `user:${value}`)

/** The bodies, queries and paths of requests. */
export const listRequestFields = ({ service, endpoints }: Contract): Field[] =>
  Object.entries(endpoints).flatMap(([operation, { body, query, params }]) =>
    [body, query, params].flatMap((one) => (one === undefined ? [] : fieldsIn(one, `${service}.${operation}`))),
  )

/** Fields that callers, operators and other services enter. A GET stores nothing. */
export const listEntries = ({ endpoints, ...others }: Contract): Field[] => {
  const changes = Object.entries(endpoints).filter(([, { method }]) => method !== 'GET')
  return listRequestFields({ ...others, endpoints: Object.fromEntries(changes) })
}

/** The bodies that other services and operators send. */
export const listInternalBodies = ({ service, endpoints }: Contract): Field[] =>
  Object.entries(endpoints).flatMap(([operation, { audience, body }]) =>
    body === undefined || audience !== 'internal' ? [] : fieldsIn(body, `${service}.${operation}`),
  )

export const listExits = ({ service, endpoints, events, internalEvents = {} }: Contract): Field[] => [
  ...Object.entries(endpoints).flatMap(([name, { replies }]) =>
    Object.values(replies).flatMap((reply) => (reply == null ? [] : fieldsIn(reply, `${service}.${name}`))),
  ),
  ...Object.entries({ ...events, ...internalEvents }).flatMap(([type, { payload }]) => fieldsIn(payload, type)),
]

/** A field of a nested object flows to the same object. A field of the body flows to a resource of any name. */
export function flows(entry: Field, exit: Field): boolean {
  const parent = parentPath(entry)
  const isSame = entry.name === exit.name && (parent === null || parent === parentPath(exit))
  return isSame && !unrelated.some((end) => exit.path.endsWith(end))
}

/** Null in the body itself: a path begins with service and operation. */
export function parentPath({ path }: Field): string | null {
  const names = path.split('.')
  return names.length <= 3 ? null : (names.at(-2) ?? null)
}

/** Ends with the name of a field of a body, and another meaning, or is compared after the shape. */
const unrelated = [
  '.checkPaymentOrchestrator.reason',
  '.held.reason',
  '.subscriptions.disabled.reason',
  '.variables.name',
  '.listPermissions.data.name',
  '.variables.required',
  '.readSession.current',
  '.listSessions.data.current',
  '.listSessionsOfTenant.data.current',
  '.permissions',
]
