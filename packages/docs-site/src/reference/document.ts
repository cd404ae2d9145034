import { contracts } from '@payments/contracts/edges/contracts'
import { openApiDocument } from '@payments/contracts/openapi/document'
import { type Media, readReference, type Schema } from './schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface Reply {
  readonly description: string
  /** Codes of the problems of the response; none for a success. */
  readonly codes: readonly string[]
  readonly content?: Readonly<Record<string, Media>>
}

interface RawOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Omit<Reply, 'codes'> | { readonly $ref: string }>>
}

interface RawDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: RawOperation }>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The order of the API reference: what a tenant developer needs first. */
const order = ['payment-proxy', 'webhooks', 'invite-to-pay', 'api-key', 'rbac', 'business-unit', 'communication']

export type ApiDocument = ReturnType<typeof apiDocument>
export type Service = ApiDocument['services'][number]
export type Operation = ReturnType<typeof toOperation>

/** The parts of the OpenAPI document that the API reference shows. */
export function apiDocument() {
  const json = JSON.stringify(openApiDocument(contracts))
  const raw = JSON.parse(json) as RawDocument
  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(raw, method.toUpperCase(), path, operation)),
  )
  const services = raw.tags
    .filter(({ name }) => name !== 'events')
    .map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter(({ service }) => service === name),
    }))
    .sort((a, b) => rankService(a.name) - rankService(b.name))
  const events = Object.entries(raw.webhooks).map(([name, { post }]) => ({
    name,
    description: post.summary,
    /** Of `metadata.payload`. */
    schema: readPayload(post),
    /** A delivery. */
    example: post.requestBody?.content['application/json']?.example,
  }))
  const schemas = raw.components['schemas'] as Readonly<Record<string, Schema>>
  const media = operations.flatMap(({ body, replies }) => [
    ...replies.flatMap(([, { content = {} }]) => Object.values(content)),
    ...(body === undefined ? [] : [body.media]),
  ])
  return { json, services, events, schemas, examples: firstExamples(schemas, media) }
}

function rankService(service: string): number {
  const index = order.indexOf(service)
  return index === -1 ? order.length : index
}

function toOperation(raw: RawDocument, method: string, path: string, operation: RawOperation) {
  const { operationId, tags, summary, description = '', security, parameters, requestBody, responses } = operation
  const [body] = Object.entries(requestBody?.content ?? {})
  const resolved = parameters.map((parameter) => resolve<Parameter>(raw, parameter))
  return {
    name: operationId,
    service: tags[0] ?? '',
    method,
    path,
    title: summary.replace(/\.$/, ''),
    description,
    isAuthenticated: security === undefined,
    isList: resolved.some(({ name, in: place }) => name === 'cursor' && place === 'query'),
    parameters: resolved,
    body: body === undefined ? undefined : { type: body[0], media: body[1] },
    replies: Object.entries(responses).map(([status, response]) => {
      const reply = resolve<Omit<Reply, 'codes'>>(raw, response)
      return [status, { ...reply, codes: codesIn(raw, reply.content?.['application/problem+json']?.schema) }] as const
    }),
  }
}

/** A component that `value` refers to, or `value` itself. */
function resolve<T>({ components }: RawDocument, value: T | { readonly $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(value.$ref) ?? []
  return components[kind]?.[name] as T
}

/** The codes that the schema of a problem allows. */
function codesIn(raw: RawDocument, schema: Schema | undefined): string[] {
  const { allOf = [], oneOf = [], properties } = resolve<Schema>(raw, schema ?? {})
  const own = (properties?.['code']?.enum ?? []) as string[]
  return [...own, ...[...allOf, ...oneOf].flatMap((part) => codesIn(raw, part))]
}

/** The schema of `metadata.payload` of an event. */
function readPayload({ requestBody }: RawOperation): Schema {
  const parts = requestBody?.content['application/json']?.schema.allOf ?? []
  return parts.at(-1)?.properties?.['metadata']?.properties?.['payload'] ?? {}
}

/** The first value of each named schema in the recorded responses and events. */
function firstExamples(
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
