import { z } from 'zod'

/** The subset of JSON Schema 2020-12 to which the schemas of contracts are converted. */
export interface JsonSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly maxProperties?: number
  readonly propertyNames?: JsonSchema
  readonly examples?: readonly unknown[]
}

/** The shape that a schema accepts, without references. Refinements are not part of it. */
export function toInputSchema(schema: z.ZodType): JsonSchema {
  return withoutReferences(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
}

const definitions = '#/$defs/'

/** Named schemas (`.meta({ id })`) become references to `$defs`: here each one stands where it is used. */
function withoutReferences(schema: object): JsonSchema {
  const { $defs = {}, ...root } = schema as { $defs?: Readonly<Record<string, object>> }
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...own } = value as { $ref?: unknown }
    const named = typeof $ref === 'string' && $ref.startsWith(definitions) ? $defs[$ref.slice(definitions.length)] : {}
    const { id: _, ...definition } = { ...(named as { id?: unknown }) }
    const merged = named === undefined ? value : { ...definition, ...own }
    return Object.fromEntries(Object.entries(merged).map(([key, inner]) => [key, inline(inner)]))
  }
  const { id: _, ...inlined } = inline(root) as { id?: unknown }
  return inlined as JsonSchema
}
