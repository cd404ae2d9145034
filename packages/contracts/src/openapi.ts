import { z } from 'zod'
import type { Contract, Endpoint } from './contract.ts'
import { commonProblems, type ProblemDefinition, problemBody } from './problem.ts'

/**
 * OpenAPI 3.1 of all services, made from their contracts: what is documented is what is checked. Internal endpoints are
 * no part of it. Replies are documented open: a field may be added to a reply at any time.
 */
type Json = Record<string, unknown>

const traceId = { $ref: '#/components/headers/TraceId' }

/** What any endpoint may answer, beside what it declares. */
const always = [
  'invalid_request',
  'invalid_header',
  'invalid_request_target',
  'invalid_credentials',
  'permission_denied',
  'address_not_allowed',
  'tenant_suspended',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'authorization_unavailable',
  'service_unavailable',
  'upstream_timeout',
] as const

const withBody = ['request_timeout', 'payload_too_large', 'unsupported_media_type'] as const
const withIdempotencyKey = ['idempotency_key_in_use', 'idempotency_key_reused'] as const

export function openApiDocument(contracts: readonly Contract[]): Json {
  const paths: Record<string, Json> = {}
  const names = new Set<string>()
  for (const contract of contracts) {
    for (const [name, endpoint] of Object.entries(contract.endpoints)) {
      if (endpoint.audience === 'internal') continue
      if (names.has(name))
        throw new Error(`${contract.service}.${name}: another contract has an operation of that name`)
      names.add(name)
      paths[endpoint.path] ??= {}
      Object.assign(paths[endpoint.path] ?? {}, {
        [endpoint.method.toLowerCase()]: operation(contract, name, endpoint),
      })
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment Service',
      version: '1.0.0',
      description:
        'A multi-tenant payment platform. Every request carries a credential, a Trace-ID and, with an API key, a Tenant-ID. Errors are RFC 9457 problems: match on `code`; `type` is a page that explains it.',
    },
    servers: [{ url: '/' }],
    security: [{ credential: [] }],
    tags: contracts.map(({ service }) => ({ name: service })),
    paths,
    webhooks: Object.fromEntries(contracts.flatMap(({ events }) => Object.entries(events).map(webhook))),
    components,
  }
}

function operation(contract: Contract, name: string, endpoint: Endpoint): Json {
  const body = endpoint.body === undefined ? undefined : requestSchema(endpoint.body)
  return {
    operationId: name,
    tags: [contract.service],
    summary: endpoint.summary,
    ...(endpoint.permission === undefined
      ? { security: [] }
      : { description: `Needs the permission \`${endpoint.permission}\`.` }),
    parameters: [
      ...headersOf(endpoint),
      ...parametersOf('path', endpoint.params),
      ...parametersOf('query', endpoint.query),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !endpoint.body?.safeParse(undefined).success,
            content: { 'application/json': { schema: body } },
          },
        }),
    responses: { ...repliesOf(endpoint), ...problemsOf(contract, endpoint) },
  }
}

function headersOf(endpoint: Endpoint): Json[] {
  const names = ['TraceId']
  if (endpoint.audience === 'tenant') names.push('TenantId')
  if (endpoint.idempotent === true) names.push('IdempotencyKey')
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function parametersOf(place: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = requestSchema(schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }))
}

function repliesOf(endpoint: Endpoint): Json {
  const description = { 200: 'Done', 201: 'Created', 202: 'Accepted; the outcome is not known yet', 204: 'Done' }
  return Object.fromEntries(
    Object.entries(endpoint.replies).map(([status, schema]) => [
      status,
      {
        description: description[status as unknown as 200],
        headers: { 'Trace-ID': traceId },
        ...(schema === null ? {} : { content: { 'application/json': { schema: replySchema(schema) } } }),
      },
    ]),
  )
}

function problemsOf(contract: Contract, endpoint: Endpoint): Json {
  const codes = new Set<string>([
    ...always,
    ...(endpoint.body === undefined ? [] : withBody),
    ...(endpoint.idempotent === true ? withIdempotencyKey : []),
    ...(endpoint.problems ?? []),
  ])
  const known: Record<string, ProblemDefinition> = { ...commonProblems, ...contract.problems }
  const byStatus = new Map<number, ProblemDefinition[]>()
  for (const code of codes) {
    const problem = known[code]
    if (problem === undefined) throw new Error(`${contract.service}: ${code} is not defined`)
    byStatus.set(problem.status, [...(byStatus.get(problem.status) ?? []), problem])
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(sorted.map(([status, problems]) => [String(status), problemReply(problems)]))
}

function problemReply(problems: readonly ProblemDefinition[]): Json {
  const code = { enum: problems.map((problem) => problem.code) }
  return {
    description: problems.map((problem) => `${problem.title} (\`${problem.code}\`)`).join('; '),
    headers: { 'Trace-ID': traceId },
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code } }] },
      },
    },
  }
}

/** An event as a webhook delivers it. */
function webhook([type, event]: [string, Contract['events'][string]]): [string, Json] {
  const delivery = {
    type: 'object',
    properties: {
      trace_id: { type: 'string', format: 'uuid' },
      tenant_id: { type: 'string', format: 'uuid' },
      event_type: { type: 'string', const: type },
      metadata: {
        type: 'object',
        properties: { payload: replySchema(event.payload), business_unit_id: { type: 'string', format: 'uuid' } },
        required: ['payload', 'business_unit_id'],
      },
      tenant_event_id: { type: 'string', format: 'uuid' },
    },
    required: ['trace_id', 'tenant_id', 'event_type', 'metadata', 'tenant_event_id'],
  }
  return [
    type,
    {
      post: {
        summary: event.description,
        tags: ['events'],
        requestBody: { required: true, content: { 'application/json': { schema: delivery } } },
        responses: { '2XX': { description: 'Received. Anything else is delivered again.' } },
      },
    },
  ]
}

function requestSchema(schema: z.ZodType): Json {
  return jsonSchema(schema, 'input')
}

function replySchema(schema: z.ZodType): Json {
  return jsonSchema(schema, 'output')
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...result } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: made }) => {
      if (io === 'output' && made.additionalProperties === false) delete made.additionalProperties
      if (made.format !== undefined) delete made.pattern
    },
  })
  return result
}

const uuid = { type: 'string', format: 'uuid' }

const components: Json = {
  securitySchemes: {
    credential: {
      type: 'http',
      scheme: 'bearer',
      description: 'The value of an API key, or a JWT of a signed-in user.',
    },
  },
  headers: { TraceId: { description: 'The Trace-ID of the request.', schema: uuid } },
  parameters: {
    TraceId: {
      name: 'Trace-ID',
      in: 'header',
      required: true,
      description: 'A UUID, unique to the request; echoed on the answer.',
      schema: uuid,
    },
    TenantId: {
      name: 'Tenant-ID',
      in: 'header',
      required: false,
      description: 'The UUID of the tenant. Required with an API key; a JWT names its tenant itself.',
      schema: uuid,
    },
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'The same key and request within 7 days get the first answer again.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  },
  schemas: { Problem: replySchema(problemBody) },
}
