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
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata: withoutNames }) as JsonSchema
}

/** A named schema (`.meta({ id })`) would become a reference: without its name, it stands where it is used. */
const withoutNames = {
  get(schema: z.ZodType) {
    const { id: _, ...meta } = z.globalRegistry.get(schema) ?? {}
    return meta
  },
} as typeof z.globalRegistry
