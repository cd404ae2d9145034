import type { JsonSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'
import { arbitraryOfShape, type ZodSchema } from './arbitrary.ts'
import { listAlternatives } from './broken-value.ts'

/**
 * The text fields of a schema, and valid values in which together each of them occurs. A field is the node of the
 * schema; in a list or a record it is the node of every item.
 */
export type TextField = JsonSchema

export interface Sample {
  /** Without alternatives. */
  readonly shape: JsonSchema
  readonly value: unknown
  readonly fields: readonly TextField[]
  /** Fields that no earlier sample has. */
  readonly added: readonly TextField[]
}

/** Fields whose value may be text, each with its location; `*` is any item or key. */
export function findTextFields(shape: JsonSchema, at = ''): [TextField, string][] {
  if (isText(shape)) return [[shape, at]]
  const { items, properties = {}, additionalProperties } = shape
  return [
    ...(shape.anyOf ?? []).flatMap((alternative) => findTextFields(alternative, at)),
    ...Object.entries(properties).flatMap(([name, property]) => findTextFields(property, `${at}/${name}`)),
    ...(items === undefined ? [] : findTextFields(items, `${at}/*`)),
    ...(typeof additionalProperties === 'object' ? findTextFields(additionalProperties, `${at}/*`) : []),
  ]
}

/** A text that may be null has a list of types. A shape without a rule accepts any value. */
function isText(shape: JsonSchema): boolean {
  const { type, const: constant, enum: names } = shape
  if (type === undefined) return typeof (constant ?? names?.[0]) === 'string' || Object.keys(shape).length === 0
  return type === 'string' || (Array.isArray(type) && type.includes('string'))
}

/** Shapes without alternatives, in which together each alternative of the shape occurs. None is null. */
function listVariants(shape: JsonSchema): JsonSchema[] {
  const { items, properties, additionalProperties } = shape
  if (shape.anyOf !== undefined) return listAlternatives(shape).flatMap(listVariants)
  if (items !== undefined) return listVariants(items).map((one) => ({ ...shape, items: one }))
  if (typeof additionalProperties === 'object') {
    return listVariants(additionalProperties).map((one) => ({ ...shape, additionalProperties: one }))
  }
  if (properties === undefined) return [shape]
  const fields = Object.entries(properties).map(([name, field]) => [name, listVariants(field)] as const)
  const count = Math.max(1, ...fields.map(([, variants]) => variants.length))
  return Array.from({ length: count }, (_, number) => {
    const chosen = fields.map(([name, variants]) => [name, variants[number % variants.length] as JsonSchema])
    return { ...shape, properties: Object.fromEntries(chosen) }
  })
}

/** The value of a shape without alternatives, with another text in each field for which `replaceText` returns one. */
export function withTexts(
  shape: JsonSchema,
  value: unknown,
  replaceText: (field: TextField) => string | undefined,
): unknown {
  if (isText(shape)) return replaceText(shape) ?? value
  if (Array.isArray(value)) return value.map((item) => withTexts(shape.items ?? shape, item, replaceText))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => {
    const field = findField(shape, name)
    return [name, field === undefined ? inner : withTexts(field, inner, replaceText)]
  })
  return Object.fromEntries(fields)
}

/** The shape of a field of an object. */
export function findField({ properties, additionalProperties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
}

/** The field of each text in the value. */
export function textsIn(shape: JsonSchema, value: unknown): TextField[] {
  const found: TextField[] = []
  withTexts(shape, value, (field) => {
    found.push(field)
    return undefined
  })
  return found
}

/** Complete values first. A rule over several fields may accept none: then values with some of the optional fields. */
const attempts = [
  { isComplete: true, numRuns: 5 },
  { isComplete: true, numRuns: 100 },
  { isComplete: false, numRuns: 2_000 },
]

/** Throws if a text field of the schema occurs in no valid value that was found. */
export function buildSamples(schema: ZodSchema, shape: JsonSchema): Sample[] {
  const missing = new Map(findTextFields(shape))
  const samples = listVariants(shape).flatMap((variant) => samplesOfVariant(schema, variant, missing))
  if (missing.size > 0) throw new Error(`No valid value was generated with a text in ${[...missing.values()].join()}`)
  return samples
}

function samplesOfVariant(schema: ZodSchema, variant: JsonSchema, missing: Map<TextField, string>): Sample[] {
  const wanted = new Set(findTextFields(variant).map(([field]) => field))
  const samples: Sample[] = []
  for (const { isComplete, numRuns } of attempts) {
    for (const value of fc.sample(arbitraryOfShape(variant, isComplete), { numRuns, seed: 1 })) {
      const fields = [...new Set(textsIn(variant, value))]
      const added = fields.filter((field) => missing.has(field))
      if ((samples.length > 0 && added.length === 0) || !schema.safeParse(value).success) continue
      samples.push({ shape: variant, value, fields, added })
      for (const field of fields) missing.delete(field)
    }
    if (samples.length > 0 && [...wanted].every((field) => !missing.has(field))) break
  }
  return samples
}
