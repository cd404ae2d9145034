import { readReference } from './schema.ts'
import type { Media, Schema } from './schema-types.ts'

/** The first value of each named schema in the recorded examples. */
export function examplesOfSchemas(
  schemas: Readonly<Record<string, Schema>>,
  media: readonly Media[],
): ReadonlyMap<string, unknown> {
  const examples = new Map<string, unknown>()
  const isLike = (schema: Schema, value: unknown): boolean => {
    const { type, required = [] } = schemas[readReference(schema) ?? ''] ?? schema
    if (type === 'null') return false
    return (
      required.length === 0 || (typeof value === 'object' && required.every((key) => Reflect.has(value ?? {}, key)))
    )
  }
  const visit = (schema: Schema, value: unknown): void => {
    if (value === undefined || value === null) return
    const name = readReference(schema)
    if (name !== undefined) {
      if (!examples.has(name)) examples.set(name, value)
      return visit(schemas[name] ?? {}, value)
    }
    for (const one of [...(schema.allOf ?? []), ...(schema.anyOf ?? [])]) if (isLike(one, value)) visit(one, value)
    if (Array.isArray(value)) for (const item of value) visit(schema.items ?? {}, item)
    else if (typeof value === 'object')
      for (const [key, inner] of Object.entries(schema.properties ?? {})) visit(inner, Reflect.get(value, key))
  }
  for (const { schema, example } of media) visit(schema, example)
  return examples
}
