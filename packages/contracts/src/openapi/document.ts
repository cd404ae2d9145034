import type { Contract, Endpoint } from '../grammar/contract.ts'
import { problemBody } from '../grammar/problem.ts'
import { withCatalogues } from './catalogues.ts'
import {
  headerParameters,
  responseHeaders,
  security,
  securitySchemes,
  subscribedUnit,
  webhookDelivery,
} from './components.ts'
import { headersOfSuccess } from './headers.ts'
import { form, pageResponses } from './page.ts'
import { ProblemResponses } from './problems.ts'
import { findRecordedCall, type RecordedCall } from './recorded.ts'
import { describeParameters, requestSchema, responseSchema, Schemas } from './schema.ts'

/**
 * OpenAPI 3.1 of one service or of several, generated from their contracts: what is documented is what is validated.
 * Internal endpoints are left out. Responses are documented open: a field may be added to a response at any time.
 */
type Json = Record<string, unknown>

/** Throws where two endpoints have the same operation name, or a declared problem is not defined. */
export function openApiDocument(contracts: readonly Contract[]): Json {
  const schemas = new Schemas()
  const problems = new ProblemResponses(schemas)
  // Responses first: where a schema differs between the two, the response has the plain name.
  for (const { endpoints } of contracts) {
    for (const endpoint of Object.values(endpoints)) if (isPublished(endpoint)) describeSuccesses(schemas, endpoint)
  }
  const paths: Record<string, Json> = {}
  const names = new Set<string>()
  for (const contract of contracts) {
    for (const [name, endpoint] of Object.entries(contract.endpoints)) {
      if (!isPublished(endpoint)) continue
      if (names.has(name)) throw new Error(`${contract.service}.${name}: another contract has this operation name`)
      names.add(name)
      paths[endpoint.path] ??= {}
      Object.assign(paths[endpoint.path] ?? {}, {
        [endpoint.method.toLowerCase()]: operation({ schemas, problems }, contract, name, endpoint),
      })
    }
  }
  const webhooks = contracts.flatMap(({ events }) => Object.entries(events).map((entry) => webhook(schemas, entry)))
  const title = contracts.length === 1 ? `Payment Service: ${contracts[0]?.service}` : 'Payment Service'
  const tags = contracts.map(({ service, description }) => ({ name: service, description }))
  const hasEvents = webhooks.length > 0
  return {
    openapi: '3.1.0',
    info: { title, version: '1.0.0', description: introduction, license },
    servers: [{ url: '/', description: 'The API gateway of the environment' }],
    security,
    tags: hasEvents ? [...tags, eventsTag] : tags,
    paths,
    ...(hasEvents ? { webhooks: Object.fromEntries(webhooks) } : {}),
    components: buildComponents(schemas, problems, { paths, webhooks }),
  }
}

const isPublished = ({ audience }: Endpoint) => audience !== 'internal'

const license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }
const eventsTag = { name: 'events', description: 'Events that webhook subscriptions receive.' }

const introduction = `A multi-tenant payment platform behind one API gateway.

Every request carries \`Authorization: Bearer <API key or JWT>\`, or in a browser the cookie of a session, and \`Trace-ID: <UUID>\` or a W3C \`traceparent\`. A
request with an API key also carries \`Tenant-ID: <UUID>\`. Errors are RFC 9457 problem documents: match on \`code\`;
\`type\` is the address of a page that explains the problem. Lists are paginated with \`limit\` and \`cursor\`, newest
item first.`

const bindsNextRequest = 'The change applies to every request that is sent after the response.'

/** The components that the operations of a document share. */
interface Components {
  readonly schemas: Schemas
  readonly problems: ProblemResponses
}

function operation({ schemas, problems }: Components, contract: Contract, name: string, endpoint: Endpoint): Json {
  const recordedCall = findRecordedCall(contract, name)
  const effect = endpoint.changesAuthorization === true ? bindsNextRequest : undefined
  const parts = [describeDeprecation(endpoint), endpoint.description, effect, describeRequirement(endpoint)]
  const description = parts.filter((part) => part !== undefined).join('\n\n')
  return {
    operationId: name,
    tags: [contract.service],
    summary: endpoint.summary,
    ...(description === '' ? {} : { description }),
    ...(endpoint.deprecated === undefined ? {} : { deprecated: true }),
    ...(endpoint.audience === 'public' ? { security: [] } : {}),
    ...(endpoint.permission === undefined ? {} : { 'x-permission': endpoint.permission }),
    ...(endpoint.sensitive === true ? { 'x-step-up': true } : {}),
    parameters: [
      ...headerReferences(endpoint),
      ...describeParameters(schemas, 'path', endpoint.params),
      ...describeParameters(schemas, 'query', endpoint.query),
    ],
    ...describeRequestBody(schemas, name, endpoint, recordedCall),
    responses:
      endpoint.page === undefined
        ? { ...describeSuccesses(schemas, endpoint, recordedCall), ...problems.of(contract, endpoint) }
        : pageResponses(endpoint, endpoint.page),
  }
}

function describeDeprecation({ deprecated }: Endpoint): string | undefined {
  if (deprecated === undefined) return undefined
  const { since, sunset, link } = deprecated
  return `Deprecated since ${since}, and served until ${sunset}: \`${link}\` says what to use instead.`
}

function describeRequirement({ audience, permission, sensitive }: Endpoint): string | undefined {
  const recent = sensitive === true ? ' With a session, requires a sign-in of the last five minutes.' : ''
  if (audience === 'authenticated') return `Requires a valid credential, and no permission.${recent}`
  return permission === undefined ? undefined : `Requires the permission \`${permission}\`.${recent}`
}

/** The schema of a body is the component `<Operation>Request`, unless the contract names it. */
function requestBody(
  schemas: Schemas,
  operationName: string,
  body: NonNullable<Endpoint['body']>,
  given: unknown,
): Json {
  const { examples, ...schema } = requestSchema(schemas, body) as Json & { examples?: readonly unknown[] }
  const [example] = given === undefined ? (examples ?? []) : [given]
  const name = `${operationName.charAt(0).toUpperCase()}${operationName.slice(1)}Request`
  const reference = '$ref' in schema ? schema : { $ref: `#/components/schemas/${schemas.add(name, schema, 'input')}` }
  return {
    required: !body.safeParse(undefined).success,
    content: { 'application/json': { schema: reference, ...(example === undefined ? {} : { example }) } },
  }
}

const undescribedBody: Json = { content: { 'application/json': { schema: {} } } }

function describeRequestBody(schemas: Schemas, name: string, endpoint: Endpoint, recordedCall?: RecordedCall): Json {
  const { body, rawBody, page, method, example } = endpoint
  if (body !== undefined)
    return { requestBody: requestBody(schemas, name, body, recordedCall?.request.body ?? example) }
  if (rawBody === undefined || method === 'GET') return {}
  return { requestBody: page === undefined ? undescribedBody : form }
}

function headerReferences(endpoint: Endpoint): Json[] {
  if (endpoint.page !== undefined) return []
  // A sender of the platform's own protocol, such as a payment provider, knows no Trace-ID.
  const names = [endpoint.audience === 'public' ? 'OptionalTraceId' : 'TraceId', 'Traceparent']
  if (endpoint.idempotent === true) names.push('IdempotencyKey')
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

const successes = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  202: 'The request was accepted. The outcome is not known yet.',
  204: 'The request succeeded. The response has no body.',
}

function describeSuccesses(schemas: Schemas, endpoint: Endpoint, recordedCall?: RecordedCall): Json {
  const findExample = (status: string) =>
    Number(status) === recordedCall?.response.status ? { example: recordedCall.response.body } : {}
  return Object.fromEntries(
    Object.entries(endpoint.replies).map(([status, schema]) => [
      status,
      {
        description: successes[status as unknown as 200],
        headers: headersOfSuccess(endpoint, status),
        ...(schema === null
          ? {}
          : { content: { 'application/json': { schema: responseSchema(schemas, schema), ...findExample(status) } } }),
      },
    ]),
  )
}

/** The request that delivers an event to a subscription. */
function webhook(schemas: Schemas, [type, event]: [string, Contract['events'][string]]): [string, Json] {
  const payload = responseSchema(schemas, event.payload)
  const properties = {
    event_type: { const: type, description: 'Type of the event.' },
    metadata: {
      type: 'object',
      description: 'The payload of the event.',
      // Both fields, so that a validator that rejects unknown ones accepts the example.
      properties: { payload: { ...payload, description: 'Content of the event.' }, business_unit_id: subscribedUnit },
    },
  }
  const schema = { allOf: [{ $ref: '#/components/schemas/WebhookDelivery' }, { type: 'object', properties }] }
  const example = event.example === undefined ? {} : { example: deliveryExample(type, event.example) }
  return [
    type,
    {
      post: {
        operationId: `on.${type}`,
        summary: event.description,
        tags: ['events'],
        security: [],
        parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature', 'DeliveryTraceparent'].map((name) => ({
          $ref: `#/components/parameters/${name}`,
        })),
        requestBody: { required: true, content: { 'application/json': { schema, ...example } } },
        responses: {
          '2XX': { description: 'The receiver accepted the delivery.' },
          '4XX': { description: 'The delivery is retried with backoff. A 410 disables the subscription.' },
        },
      },
    },
  ]
}

function deliveryExample(type: string, payload: unknown): Json {
  return {
    trace_id: '0191e4a2-6f00-7c31-9f1c-2a7d5b1c0e11',
    tenant_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c001',
    event_type: type,
    metadata: { payload, business_unit_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c002' },
    tenant_event_id: '0191e4a2-6eff-7a08-a3be-5f6ac54d1e22',
  }
}

/** Components that nothing refers to are left out. */
function buildComponents(schemas: Schemas, problems: ProblemResponses, rest: Json): Json {
  const problem = responseSchema(schemas, problemBody)
  const responses = problems.components()
  const text = JSON.stringify([rest, responses])
  const used = (kind: string, entries: Iterable<readonly [string, unknown]>) =>
    Object.fromEntries([...entries].filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)))
  return {
    securitySchemes,
    headers: used('headers', Object.entries(responseHeaders)),
    parameters: used('parameters', Object.entries(headerParameters)),
    responses,
    schemas: {
      ...withCatalogues(schemas.named()),
      Problem: problem,
      ...used('schemas', [['WebhookDelivery', webhookDelivery]]),
    },
  }
}
