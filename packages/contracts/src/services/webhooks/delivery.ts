import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { commaList, id, instant, queryInteger, text, uuid, windowQuery } from '../../grammar/field.ts'
import { page, pageQuery, positionedPageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { tenantRoute } from '../../grammar/route.ts'
import { searchedPageText } from '../../grammar/searched-page.ts'
import type { businessUnitProblems } from '../../problems/business-unit.ts'
import { missingPermission, payloadPermissions } from './payload.ts'

/** Deliveries and their attempts: read, explain, retry. */
export const deliveryProblems = defineProblems({
  delivery_not_found: {
    status: 404,
    title: 'Delivery not found',
    explanation: 'The business unit has no delivery with this id.',
  },
  event_not_found: {
    status: 404,
    title: 'Event not found',
    explanation:
      'The business unit has no event with this id within the retention period. A new event takes a moment to appear.',
  },
  delivery_in_progress: {
    status: 409,
    title: 'A delivery attempt is in progress',
    explanation: 'An attempt is queued or in flight. Read the delivery to see its outcome, and retry it afterwards.',
  },
  subscription_deleted: {
    status: 409,
    title: 'The subscription of the delivery was deleted',
    explanation:
      'A deleted subscription receives no deliveries. Create a subscription for the same destination, and recover the events with `include_unmatched`.',
  },
  subscription_disabled: {
    status: 409,
    title: 'The subscription is disabled',
    explanation:
      'A disabled subscription receives no deliveries. Enable the subscription first; its held deliveries are then sent.',
  },
})

export const deliveryStatuses = ['pending', 'delivering', 'retrying', 'held', 'delivered', 'dead', 'discarded'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const errorKinds = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'protocol',
  'blocked_address',
  'redirect',
  'status',
  'gone',
  'auth',
] as const
export type ErrorKind = (typeof errorKinds)[number]

export const errorKind = z.enum(errorKinds).meta({ id: 'DeliveryErrorKind' })
const deliveryStatus = z.enum(deliveryStatuses).meta({ id: 'DeliveryStatus' })

/** One type, for a filter. The OpenAPI document lists the values. */
export const eventType = text(200).meta({ id: 'EventType', description: 'Name of an event type.' })

const sinceStart = (step: string) =>
  z.int().nullable().describe(`Milliseconds from the start of the attempt to ${step}.`)

const attempt = z
  .object({
    number: z.int().describe('Number of the attempt, from 1.'),
    started_at: instant.describe('When the attempt started.'),
    duration_ms: z.int().describe('Duration of the attempt in milliseconds.'),
    status_code: z.int().nullable().describe('HTTP status of the response. Null without a response.'),
    error_kind: errorKind.nullable().describe('Why the attempt failed. Null for a success.'),
    error_detail: z.string().nullable().describe('The failure in words. Null for a success.'),
    destination_url: z.string().nullable().describe('URL that the attempt was sent to.'),
    label: z.string().nullable().describe('Display name of the subscription at the attempt. Null without one.'),
    response_body: z
      .string()
      .nullable()
      .describe('First 16 KiB of the response body, as text. `…` replaces credentials of the request.'),
    response_truncated: z.boolean().describe('Whether the response body was longer than 16 KiB.'),
    response_headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        'Some headers of the response, by name in lower case: at most 1024 characters in all. `…` replaces credentials of the request, and the query of `location` when one was sent in a query. Null without a response, and without the permission to read the resource of the event.',
      ),
    timings: z
      .object({
        dns_ms: sinceStart('the end of the name resolution'),
        connect_ms: sinceStart('the established connection'),
        tls_ms: sinceStart('the end of the TLS handshake'),
        first_byte_ms: sinceStart('the first byte of the response'),
      })
      .describe('Durations of the steps. A step is null when it was not reached, or when the connection was reused.'),
    next_attempt_at: instant.nullable().describe('When the next attempt is due. Null when none follows.'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One HTTP POST of a delivery.' })

/** Attempts of a delivery that a response contains. */
export const attemptsShownMax = 1_000

export const latestAttempts = z
  .array(attempt)
  .describe(
    `The latest attempts, oldest first: at most ${attemptsShownMax}, and fewer with long response bodies (64 of 16 KiB). \`attempt_count\` counts all of them.`,
  )

export const attemptRequest = z.object({
  method: z.literal('POST').describe('HTTP method.'),
  url: z.string().describe('Request URL. Credentials are masked.'),
  headers: z.record(z.string(), z.string()).describe('Request headers. Credentials and the signature are masked.'),
  body: z.string().nullable().describe('Request body. Null without the permission to read the resource of the event.'),
})
export type AttemptRequest = z.input<typeof attemptRequest>

const sourceTraceId = uuid.describe('Trace id of the request that caused the event.')

const holdReasons = ['subscription_disabled', 'circuit_open', 'releasing'] as const

const hold = z
  .object({
    reason: z
      .enum(holdReasons)
      .meta({ id: 'DeliveryHoldReason' })
      .describe(
        '`circuit_open`: the circuit breaker of the destination is open. `releasing`: the destination is available again, and its deliveries are sent in the order of their events.',
      ),
    since: instant.nullable().describe('When the reason began, or later. Null when it is not known.'),
    until: instant
      .nullable()
      .describe(
        'When a delivery probes the destination next: after a success, the deliveries are sent. Null otherwise.',
      ),
    action: z.string().describe('The condition that ends the hold, in words.'),
  })
  .meta({ id: 'DeliveryHold', description: 'Why a due delivery is not sent, until when, and what to do.' })
export type Hold = z.input<typeof hold>

const deliveryShape = {
  id: uuid.describe('Identifier of the delivery.'),
  subscription_id: uuid.describe('Subscription that receives the delivery.'),
  business_unit_id: uuid.describe('Business unit of the subscription.'),
  tenant_event_id: uuid.describe('Event that is delivered.'),
  event_type: z.string().describe('Type of the event.'),
  destination_url: z
    .string()
    .describe('URL that the last attempt was sent to. Before the first attempt, the destination of the subscription.'),
  status: deliveryStatus.describe('State of the delivery.'),
  held: hold
    .nullable()
    .describe('Set while the delivery waits because the subscription is disabled or the circuit breaker is open.'),
  attempt_count: z.int().describe('Number of attempts made.'),
  next_attempt_at: instant.nullable().describe('When the next attempt is due. Null when none is scheduled.'),
  task_id: uuid.nullable().describe('The last task that restarted or created the delivery. Null without one.'),
  trace_id: uuid.describe('Trace id of the delivery: the same over all its attempts.'),
  source_trace_id: sourceTraceId
    .nullable()
    .describe('Trace id of the request that caused the event. Null after the retention period of the event.'),
  created_at: instant.describe('When the delivery was created.'),
  updated_at: instant.describe('When the delivery last changed.'),
}

const delivery = z
  .object(deliveryShape)
  .meta({ id: 'Delivery', description: 'One event for one webhook subscription.' })
const deliveryWithAttempts = z
  .object({
    ...deliveryShape,
    request: attemptRequest
      .nullable()
      .describe(
        'The request of the last attempt. Before the first attempt, without time and signature. Null after the retention period of the event.',
      ),
    attempts: latestAttempts,
    missing_permission: missingPermission,
  })
  .meta({ id: 'DeliveryWithAttempts', description: 'A delivery with its request and its attempts.' })

export type Attempt = z.input<typeof attempt>
export type Delivery = z.input<typeof delivery>
export type DeliveryWithAttempts = z.input<typeof deliveryWithAttempts>

const explainedOutcomes = ['delivered', 'pending', 'retrying', 'held', 'dead', 'discarded', 'not_matched'] as const
export type ExplainedOutcome = (typeof explainedOutcomes)[number]

const eventShape = {
  tenant_event_id: uuid.describe('Identifier of the event.'),
  event_type: z.string().describe('Type of the event.'),
  source_trace_id: sourceTraceId,
  occurred_at: instant.describe('When the event happened.'),
}

const event = z
  .object({
    ...eventShape,
    resource_id: uuid.nullable().describe('Resource that the event is about, such as a transaction. Null without one.'),
    business_unit_id: uuid.nullable().describe('Business unit of the event. Null for an event of the whole tenant.'),
  })
  .meta({ id: 'Event', description: 'An event of a business unit, or of its whole tenant.' })
export type Event = z.input<typeof event>

const explanation = z
  .object({
    ...eventShape,
    payload: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'Payload of the event, as in `metadata.payload` of a delivery. Null without the permission to read the resource of the event.',
      ),
    missing_permission: missingPermission,
    subscriptions: z
      .array(
        z.object({
          subscription_id: uuid.describe('Identifier of the subscription.'),
          outcome: z.enum(explainedOutcomes).describe('Outcome of the event for this subscription.'),
          reason: z.string().describe('The reason in words.'),
          delivery_id: uuid.nullable().describe('The delivery. Null when there is none.'),
          destination_url: z
            .string()
            .describe(
              'URL that the last attempt was sent to. Without an attempt, the destination of the subscription.',
            ),
          label: z
            .string()
            .nullable()
            .describe(
              'Display name at the last attempt. Without an attempt, that of the subscription. Null without one.',
            ),
        }),
      )
      .describe('One entry per subscription of the business unit.'),
  })
  .meta({ id: 'EventExplanation', description: 'Why an event was or was not delivered, per subscription.' })
export type Explanation = z.input<typeof explanation>

const unit = { business_unit_id: id.describe('Identifier of the business unit.') }
const deliveryParams = z.strictObject({ ...unit, delivery_id: id.describe('Identifier of the delivery.') })

const deliveryFilter = {
  subscription_id: id.optional().describe('Only deliveries of this subscription.'),
  status: commaList(deliveryStatuses)
    .optional()
    .describe('Only deliveries in one of these states, separated by commas.'),
  tenant_event_id: id.optional().describe('Only deliveries of this event.'),
  task_id: id.optional().describe('Only deliveries that this task, and no later one, restarted or created.'),
  event_type: eventType.optional().describe('Only deliveries of events of this type.'),
  status_code: queryInteger(0, 999).optional().describe('Only deliveries whose last attempt got this HTTP status.'),
  error_kind: errorKind.optional().describe('Only deliveries whose last attempt failed with this kind.'),
  ...windowQuery('created', 'deliveries created'),
}
const filterOnly = z.strictObject(deliveryFilter)
export type DeliveryFilterQuery = z.output<typeof filterOnly>

const eventFilter = {
  trace_id: id.optional().describe('Only events that the request with this Trace-ID caused.'),
  resource_id: id.optional().describe('Only events about this resource, such as a transaction.'),
  event_type: eventType.optional().describe('Only events of this type.'),
  ...windowQuery('created', 'events that happened'),
}
const eventFilterOnly = z.strictObject(eventFilter)
export type EventFilterQuery = z.output<typeof eventFilterOnly>

export const payloadText =
  'The payload and the bodies of responses are shown to callers with the permission to read the resource of the event.'

export const deliveryEndpoints = {
  listTenantDeliveries: {
    ...tenantRoute('GET', '/v1/webhooks/deliveries', 'webhook:ReadDelivery'),
    summary: 'List the deliveries of all business units, newest first.',
    description: searchedPageText,
    query: positionedPageQuery(50).extend({
      business_unit_id: id.optional().describe('Only deliveries of this business unit.'),
      ...deliveryFilter,
    }),
    replies: { 200: page(delivery) },
  },
  listDeliveries: {
    ...tenantRoute('GET', '/v1/webhooks/{business_unit_id}/deliveries', 'webhook:ReadDelivery'),
    summary: 'List the deliveries of a business unit.',
    description: searchedPageText,
    params: z.strictObject(unit),
    query: pageQuery.extend(deliveryFilter),
    replies: { 200: page(delivery) },
    problems: ['business_unit_not_found'],
  },
  readDelivery: {
    ...tenantRoute('GET', '/v1/webhooks/{business_unit_id}/deliveries/{delivery_id}', 'webhook:ReadDelivery'),
    readsPermissions: payloadPermissions,
    summary: 'Read a delivery with its request and its attempts.',
    description: payloadText,
    params: deliveryParams,
    replies: { 200: deliveryWithAttempts },
    problems: ['business_unit_not_found', 'delivery_not_found'],
  },
  retryDelivery: {
    ...tenantRoute('POST', '/v1/webhooks/{business_unit_id}/deliveries/{delivery_id}/retry', 'webhook:RetryDelivery'),
    summary: 'Retry a delivery with a new schedule.',
    description: 'A delivered delivery can be retried too. The `tenant_event_id` stays the same.',
    params: deliveryParams,
    replies: { 202: delivery },
    problems: [
      'business_unit_not_found',
      'delivery_not_found',
      'delivery_in_progress',
      'subscription_deleted',
      'subscription_disabled',
    ],
    idempotent: true,
  },
  listTenantEvents: {
    ...tenantRoute('GET', '/v1/webhooks/events', 'webhook:ReadDelivery'),
    summary: 'List the events of all business units and of the whole tenant, newest first.',
    description: `With \`resource_id\`, lists the events of one resource. A new event takes a moment to appear. ${searchedPageText}`,
    query: pageQuery.extend({
      business_unit_id: id.optional().describe('Only events of this business unit.'),
      ...eventFilter,
    }),
    replies: { 200: page(event) },
  },
  listEvents: {
    ...tenantRoute('GET', '/v1/webhooks/{business_unit_id}/events', 'webhook:ReadDelivery'),
    summary: 'List the events of a business unit and of its whole tenant.',
    description: `With \`trace_id\`, lists the events that one request caused. A new event takes a moment to appear. ${searchedPageText}`,
    params: z.strictObject(unit),
    query: pageQuery.extend(eventFilter),
    replies: { 200: page(event) },
    problems: ['business_unit_not_found'],
  },
  explainEvent: {
    ...tenantRoute('GET', '/v1/webhooks/{business_unit_id}/events/{tenant_event_id}', 'webhook:ReadDelivery'),
    readsPermissions: payloadPermissions,
    summary: 'Explain, per subscription, why an event was or was not delivered.',
    description: payloadText,
    params: z.strictObject({ ...unit, tenant_event_id: id.describe('Identifier of the event.') }),
    replies: { 200: explanation },
    problems: ['business_unit_not_found', 'event_not_found'],
  },
} as const satisfies Record<
  string,
  Endpoint<Extract<keyof typeof deliveryProblems | keyof typeof businessUnitProblems, string>>
>
