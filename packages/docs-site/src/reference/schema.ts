import { type Html, html } from '@payments/chassis/base/html'
import { inline } from '../prose.ts'

/** The parts of our OpenAPI document that the API reference shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Media {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export function readReference({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

/** The schemas of the fields, the items and the alternatives. */
export const innerSchemas = ({ properties = {}, items, anyOf = [], allOf = [] }: Schema): Schema[] => [
  ...Object.values(properties),
  ...(items === undefined ? [] : [items]),
  ...anyOf,
  ...allOf,
]

/** The fields of an object, each with its type, its bounds and the fields inside it. Null without fields. */
export function fields(schema: Schema): Html | null {
  const { properties, required = [] } = schema
  if (properties === undefined || Object.keys(properties).length === 0) return null
  return html`<ul class="fields">${Object.entries(properties).map(
    ([name, property]) => html`<li>${field(name, property, required.includes(name))}</li>`,
  )}</ul>`
}

/** A field or a parameter. */
export function field(name: string, schema: Schema, isRequired: boolean): Html {
  const { description } = schema
  return html`<p><code class="name">${name}</code> <span class="type">${type(schema)}</span>${
    isRequired ? html` <span class="required">required</span>` : null
  }</p>${description === undefined ? null : html`<p>${inline(description)}</p>`}${bounds(schema)}${inside(schema)}`
}

/** Values, length and pattern of a schema. Null without any. */
export function bounds(schema: Schema): Html | null {
  const all = listBounds(schema)
  return all.length === 0 ? null : html`<p class="bounds">${all.map((bound) => html`<span>${bound}</span> `)}</p>`
}

/** The fields of the object, of the items or of the alternatives inside a field. */
function inside(schema: Schema): Html | null {
  const nested = [schema, ...(schema.items === undefined ? [] : [schema.items]), ...(schema.anyOf ?? [])]
    .map((candidate) => fields(candidate))
    .find((list) => list !== null)
  if (nested === undefined || nested === null) return null
  return html`<details><summary>Fields inside</summary>${nested}</details>`
}

/** A named schema is a link to its section on the same page. */
export function type(schema: Schema): Html {
  const name = readReference(schema)
  if (name !== undefined) return html`<a href="#object-${name}">${name}</a>`
  if (schema.anyOf !== undefined) return join(schema.anyOf.map(type), ' or ')
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`
  if (schema.type === 'array') return html`array of ${type(schema.items ?? {})}`
  const names = [schema.type ?? 'any'].flat().map((single) => {
    const format = single === 'string' && schema.format !== undefined ? ` (${schema.format})` : ''
    return html`${single}${format}`
  })
  return join(names, ' or ')
}

function join(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`
}

function listBounds(schema: Schema): Html[] {
  const { enum: values, default: preset, examples } = schema
  return [
    ...(values === undefined ? [] : [html`One of ${join(values.map(code), ', ')}.`]),
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...(schema.pattern === undefined ? [] : [html`Pattern <code>${schema.pattern}</code>.`]),
    ...(preset === undefined ? [] : [html`Default ${code(preset)}.`]),
    ...(examples === undefined ? [] : [html`For example ${code(examples[0])}.`]),
  ]
}

const code = (value: unknown) => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`

function range(from: number | undefined, to: number | undefined, unit: string): Html[] {
  if (to === Number.MAX_SAFE_INTEGER) return from === undefined ? [] : [html`At least ${from}${unit}.`]
  if (from !== undefined && to !== undefined) return [html`${from} to ${to}${unit}.`]
  if (to !== undefined) return [html`At most ${to}${unit}.`]
  return from === undefined ? [] : [html`At least ${from}${unit}.`]
}
