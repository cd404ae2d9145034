import { z } from 'zod'

/**
 * JSON Schema 2020-12 of zod schemas, for an OpenAPI document. A schema with `.meta({ id: 'Transaction' })` becomes the
 * component of that name, and every use of it a reference.
 */
type Json = Record<string, unknown>

/** The named schemas of one document. */
export class Schemas {
  readonly #named = new Map<string, Json>()

  /**
   * Adds a named schema and returns the name it got. A schema that differs between request and response is two
   * components: the one of requests gets the suffix `Input`. Throws if one name has two shapes.
   */
  add(name: string, schema: Json, io: 'input' | 'output'): string {
    const names = io === 'input' ? [name, `${name}Input`] : [name]
    for (const candidate of names) {
      const present = this.#named.get(candidate)
      if (present !== undefined && JSON.stringify(present) !== JSON.stringify(schema)) continue
      this.#named.set(candidate, schema)
      return candidate
    }
    throw new Error(`two schemas have the name ${name}`)
  }

  /** By name, sorted. */
  named(): Json {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

export function requestSchema(schemas: Schemas, schema: z.ZodType): Json {
  return jsonSchema(schemas, schema, 'input')
}

export function responseSchema(schemas: Schemas, schema: z.ZodType): Json {
  return jsonSchema(schemas, schema, 'output')
}

/** The parameters of a path or query schema. */
export function describeParameters(
  schemas: Schemas,
  location: 'path' | 'query',
  schema: z.ZodObject | undefined,
): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = requestSchema(schemas, schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }))
}

function jsonSchema(schemas: Schemas, schema: z.ZodType, io: 'input' | 'output'): Json {
  const {
    $schema: _,
    $defs = {},
    ...made
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema: part }) => {
      if (io === 'output' && part.additionalProperties === false) delete part.additionalProperties
      // zod writes a pattern beside each format. A pattern of the contract says more than the format.
      const own = z.globalRegistry.get(zodSchema)?.['pattern']
      const isText = zodSchema._zod.def.type === 'string'
      if (isText && part.format !== undefined && own === undefined) delete part.pattern
    },
  }) as Json & { $defs?: Record<string, Json> }
  const names = new Map<string, string>()
  // Innermost first: a definition is compared with its references resolved.
  for (const [name, definition] of inOrder($defs)) {
    const { id: __, ...shape } = refer(definition, names)
    names.set(name, schemas.add(name, shape, io))
  }
  const { id, ...whole } = refer(made, names) as Json & { id?: string }
  if (id === undefined) return whole
  return { $ref: `#/components/schemas/${schemas.add(id, whole, io)}` }
}

/** Every definition after those that it refers to. Throws on a cycle. */
function inOrder(defs: Readonly<Record<string, Json>>): [string, Json][] {
  const ordered: [string, Json][] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (name: string) => {
    const definition = defs[name]
    if (definition === undefined || state.get(name) === 'done') return
    if (state.get(name) === 'open') throw new Error(`the schema ${name} contains itself`)
    state.set(name, 'open')
    for (const [, inner] of JSON.stringify(definition).matchAll(/"#\/\$defs\/([^"]+)"/g)) visit(String(inner))
    state.set(name, 'done')
    ordered.push([name, definition])
  }
  for (const name of Object.keys(defs)) visit(name)
  return ordered
}

/** `#/$defs/X` as a reference to the component that X became. */
function refer(schema: Json, names: ReadonlyMap<string, string>): Json {
  const toComponent = (_: string, name: string) => `"#/components/schemas/${names.get(name) ?? name}"`
  return JSON.parse(JSON.stringify(schema).replaceAll(/"#\/\$defs\/([^"]+)"/g, toComponent))
}
