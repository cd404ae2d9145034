import { type JsonSchema, toInputSchema } from '@payments/contracts/grammar/json-schema'
import type { FieldError } from '@payments/contracts/grammar/problem'
import type { z } from 'zod'
import { itemCount } from '../base/error-map.ts'
import { escapePointer } from './strict-json.ts'

/** Of an array or a record whose schema names no maximum. */
const itemsMax = 1_000
/** Unknown fields beside the fields of the schema, each of which is named in the response. */
const unknownFieldsMax = 50

const shapes = new WeakMap<z.ZodType, JsonSchema>()

/**
 * The first array or object of a body that has more items than its schema allows, or null. Counting is cheap: a schema
 * reads every item, and builds an error for each, before it counts them.
 */
export function findOversized(schema: z.ZodType, body: unknown): FieldError | null {
  let shape = shapes.get(schema)
  if (shape === undefined) {
    shape = toInputSchema(schema)
    shapes.set(schema, shape)
  }
  return oversizedIn(shape, body, '')
}

function oversizedIn(shape: JsonSchema, value: unknown, pointer: string): FieldError | null {
  if (typeof value !== 'object' || value === null) return null
  if (shape.anyOf !== undefined) {
    const kind = Array.isArray(value) ? 'array' : 'object'
    const found = shape.anyOf
      .filter(({ type = kind }) => type === kind)
      .map((option) => oversizedIn(option, value, pointer))
    return found.includes(null) ? null : (found[0] ?? null)
  }
  return Array.isArray(value) ? oversizedArray(shape, value, pointer) : oversizedObject(shape, value, pointer)
}

function oversizedArray({ items = {}, maxItems = itemsMax }: JsonSchema, value: readonly unknown[], pointer: string) {
  if (value.length > maxItems) return { pointer, detail: `must have at most ${itemCount(maxItems)}` }
  return findFirst(value.entries(), (item, index) => oversizedIn(items, item, `${pointer}/${index}`))
}

function oversizedObject(shape: JsonSchema, value: object, pointer: string): FieldError | null {
  const { properties = {}, additionalProperties, maxProperties = itemsMax } = shape
  const inner = typeof additionalProperties === 'object' ? additionalProperties : {}
  const isRecord = typeof additionalProperties === 'object'
  const keysMax = isRecord ? maxProperties : Object.keys(properties).length + unknownFieldsMax
  const keys = Object.keys(value)
  if (keys.length > keysMax) return { pointer, detail: `must have at most ${keysMax} fields` }
  return findFirst(Object.entries(value), (item, key) =>
    oversizedIn(
      Object.hasOwn(properties, key) ? (properties[key] ?? {}) : inner,
      item,
      `${pointer}/${escapePointer(key)}`,
    ),
  )
}

function findFirst<K>(
  entries: Iterable<readonly [K, unknown]>,
  find: (item: unknown, key: K) => FieldError | null,
): FieldError | null {
  for (const [key, item] of entries) {
    const found = find(item, key)
    if (found !== null) return found
  }
  return null
}
