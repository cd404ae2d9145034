import { sessionCookie } from '../grammar/session-value.ts'

/** Components of every OpenAPI document that no contract declares: headers and the envelope of a webhook delivery. */
type Json = Record<string, unknown>

const uuid = { type: 'string', format: 'uuid' }

function header(name: string, required: boolean, description: string, schema: Json = uuid): Json {
  return { name, in: 'header', required, description, schema }
}

export const headerParameters = {
  TraceId: header(
    'Trace-ID',
    true,
    'A UUID that is unique to the request. A request with a valid `traceparent` may leave it out.',
  ),
  OptionalTraceId: header(
    'Trace-ID',
    false,
    'A UUID that is unique to the request. Default, and in place of another text: a new one, which the response has.',
    { type: 'string' },
  ),
  Traceparent: header(
    'traceparent',
    false,
    'W3C Trace Context. In place of a Trace-ID, its trace id is that UUID. Beside a Trace-ID it is never rejected.',
    { type: 'string' },
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    false,
    'Within 7 days, the same key with the same request returns the first response again.',
    { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  ),
  WebhookId: header('webhook-id', true, 'The `tenant_event_id`: the same over every retry. Deduplicate by this value.'),
  WebhookTimestamp: header('webhook-timestamp', true, 'When the attempt was made, in seconds since 1970.', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  WebhookSignature: header(
    'webhook-signature',
    true,
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the secret of the subscription. ' +
      'Several signatures are separated by spaces while a secret is being rotated.',
    { type: 'string' },
  ),
  DeliveryTraceparent: header(
    'traceparent',
    true,
    'W3C trace context. Its trace id is the `trace_id` without dashes.',
    {
      type: 'string',
    },
  ),
}

/** An API key needs the Tenant-ID beside it; a JWT and a session name their tenant. */
export const security = [{ apiKey: [], tenantId: [] }, { jwt: [] }, { session: [], console: [] }, { cliSession: [] }]

export const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'The value of an API key. It needs a Tenant-ID beside it.' },
  tenantId: {
    type: 'apiKey',
    in: 'header',
    name: 'Tenant-ID',
    description: 'The UUID of the tenant. Optional with a JWT or a session, and then equal to its tenant.',
  },
  jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A JWT of a user, which names its tenant.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The session of a browser. Only requests that the console sends from its own origin are accepted.',
  },
  console: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Console',
    description: 'Is `1` beside the session of a browser, or `idle` for a request that does not prolong it.',
  },
  cliSession: { type: 'http', scheme: 'bearer', description: 'The value of the session of a command line.' },
}

export const responseHeaders = {
  TraceId: { description: 'The trace id of the request.', schema: uuid },
  RateLimit: {
    description:
      'Remaining requests of each limit that applies: `r` requests, and `t` seconds until all are available again.',
    schema: { type: 'string', examples: ['"key";r=99;t=1, "tenant";r=499;t=1'] },
  },
  RateLimitPolicy: {
    description: 'The limits that apply: `q` requests within `w` seconds.',
    schema: { type: 'string', examples: ['"key";q=100;w=1, "tenant";q=500;w=1'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'string', pattern: '^[0-9]+$', examples: ['1'] },
  },
  IdempotentReplayed: {
    description: '`true` if the response is the stored one of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  Deprecation: {
    description: 'Since when the operation is deprecated: `@` and seconds since 1970 (RFC 9745).',
    schema: { type: 'string', pattern: '^@[0-9]+$', examples: ['@1795392000'] },
  },
  Sunset: {
    description: 'Until when the operation is served: an HTTP date (RFC 8594).',
    schema: { type: 'string', examples: ['Tue, 30 Nov 2027 00:00:00 GMT'] },
  },
  DeprecationLink: {
    description: 'The page that says what to use instead, with `rel="deprecation"` (RFC 9745).',
    schema: { type: 'string', examples: ['</docs/changelog>; rel="deprecation"; type="text/html"'] },
  },
  Location: { description: 'The path of the created resource.', schema: { type: 'string', format: 'uri-reference' } },
}

/** `metadata.business_unit_id` of a delivery. */
export const subscribedUnit = { ...uuid, description: 'Business unit of the subscription.' }

export const webhookDelivery = {
  type: 'object',
  description: 'The body of a webhook delivery.',
  properties: {
    trace_id: { ...uuid, description: 'Trace id of the delivery: the same over all its attempts.' },
    tenant_id: { ...uuid, description: 'Tenant that the event belongs to.' },
    event_type: { type: 'string', description: 'Type of the event.' },
    metadata: {
      type: 'object',
      description: 'The payload of the event and the business unit of the subscription.',
      properties: {
        payload: { description: 'Content of the event; its shape depends on `event_type`.' },
        business_unit_id: subscribedUnit,
      },
      required: ['payload', 'business_unit_id'],
    },
    tenant_event_id: { ...uuid, description: 'Identifier of the event: the same over every retry and redrive.' },
  },
  required: ['trace_id', 'tenant_id', 'event_type', 'metadata', 'tenant_event_id'],
}
