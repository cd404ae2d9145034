import type { Contract } from '@payments/contracts/grammar/contract'
import { type JsonSchema, toInputSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'

/**
 * Generates values that a schema of a contract accepts, from its JSON Schema. For a refinement, which JSON Schema
 * cannot express, values are generated until the schema accepts one. A refinement that random values rarely meet needs
 * `.meta({ examples: […] })` in the contract.
 */
export type ZodSchema = NonNullable<Contract['endpoints'][string]['body']>

const refusedMax = 1_000
const itemsShown = 3
const lettersShown = 24

export function arbitraryValue(schema: ZodSchema): fc.Arbitrary<unknown> {
  let refused = 0
  return arbitraryOfShape(toInputSchema(schema)).filter((value) => {
    const parsed = schema.safeParse(value)
    refused = parsed.success ? 0 : refused + 1
    if (refused > refusedMax) throw new Error(`No value generated for a schema fits it: ${parsed.error?.message}`)
    return parsed.success
  })
}

/** `complete`: with every optional field, with an item in every list, and not null where it can be anything else. */
export function arbitraryOfShape(shape: JsonSchema, complete = false): fc.Arbitrary<unknown> {
  if (shape.examples !== undefined) return fc.constantFrom(...shape.examples)
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum)
  if (shape.anyOf !== undefined) {
    const alternatives = complete ? shape.anyOf.filter(({ type }) => type !== 'null') : shape.anyOf
    return fc.oneof(...alternatives.map((alternative) => arbitraryOfShape(alternative, complete)))
  }
  if (Object.keys(shape).length === 0) return fc.constantFrom<unknown>('any', 0, true)
  if (Array.isArray(shape.type)) {
    const types: readonly JsonSchema['type'][] = shape.type
    return arbitraryOfShape({ anyOf: types.map((type) => ({ ...shape, type }) as JsonSchema) }, complete)
  }
  if (shape.type === undefined) throw new Error(`arbitrary.ts does not know how to generate ${JSON.stringify(shape)}`)
  switch (shape.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.maxSafeInteger().map((integer) => within(integer, shape))
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).filter(isNoCardNumber)
    case 'string':
      return arbitraryString(shape)
    case 'array':
      return arbitraryArray(shape, complete)
    case 'object':
      return shape.properties === undefined
        ? arbitraryRecord(shape, complete)
        : arbitraryObject(shape.properties, shape, complete)
  }
}

/** One in ten numbers with the digits of a card number passes the Luhn check and would be rejected. */
const isNoCardNumber = (number: number) => !/\d{12}/.test(String(number))

/** Folds an integer into the bounds, both of which are often hit. */
function within(integer: number, { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema) {
  if (integer % 5 === 0) return integer % 2 === 0 ? minimum : maximum
  const span = BigInt(maximum) - BigInt(minimum) + 1n
  return Number(BigInt(minimum) + ((((BigInt(integer) - BigInt(minimum)) % span) + span) % span))
}

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((uuid) => uuid.toUpperCase()),
  ),
  email: fc.emailAddress().filter((address) => /^[a-z0-9]+@[a-z0-9.]+$/i.test(address)),
  'date-time': fc
    .record({
      date: fc.date({ min: new Date('1971-01-01'), max: new Date('9998-01-01'), noInvalidDate: true }),
      zone: fc.constantFrom('Z', '+05:30', '-11:00'),
    })
    .map(({ date, zone }) => date.toISOString().replace('Z', zone)),
}

function arbitraryString({
  format,
  pattern,
  minLength = 0,
  maxLength = lettersShown,
}: JsonSchema): fc.Arbitrary<string> {
  const known = format === undefined ? undefined : formats[format]
  const matched = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  if (known !== undefined) return matched === undefined ? known : known.filter((value) => matched.test(value))
  if (matched !== undefined) return fc.stringMatching(matched)
  // Half the length: a code point may take two UTF-16 code units, in which lengths are counted.
  return arbitraryText(minLength, Math.max(minLength, Math.min(maxLength >> 1, lettersShown)))
}

const texts = new Map<string, fc.Arbitrary<string>>()

/** Cached, because fast-check takes milliseconds to create one. */
function arbitraryText(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const key = `${minLength} ${maxLength}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const text = fc.oneof(
    fc.string({ minLength, maxLength, unit: 'grapheme-ascii' }),
    fc.string({ minLength, maxLength, unit: 'binary' }).map((binary) => binary.replaceAll('\0', '0')),
  )
  texts.set(key, text)
  return text
}

function arbitraryArray({ items = {}, minItems = 0, maxItems = itemsShown }: JsonSchema, complete: boolean) {
  const minLength = complete ? Math.max(1, minItems) : minItems
  const maxLength = Math.max(minLength, Math.min(maxItems, itemsShown))
  return fc.array(arbitraryOfShape(items, complete), { minLength, maxLength })
}

function arbitraryObject(properties: Readonly<Record<string, JsonSchema>>, shape: JsonSchema, complete: boolean) {
  const fields = Object.entries(properties).map(([name, field]) => [name, arbitraryOfShape(field, complete)] as const)
  const requiredKeys = complete ? Object.keys(properties) : [...(shape.required ?? [])]
  return fc.record<Record<string, unknown>>(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true })
}

function arbitraryRecord({ additionalProperties, propertyNames = { type: 'string' } }: JsonSchema, complete: boolean) {
  if (typeof additionalProperties !== 'object') throw new Error('arbitrary.ts: a record needs a schema for its values')
  return fc.dictionary(
    arbitraryString(propertyNames).filter((key) => key !== '__proto__'),
    arbitraryOfShape(additionalProperties, complete),
    { minKeys: complete ? 1 : 0, maxKeys: itemsShown, noNullPrototype: true },
  )
}
