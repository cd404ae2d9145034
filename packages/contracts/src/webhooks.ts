import { z } from 'zod'
import { contract } from './contract.ts'
import { id, instant, instantInput, text, uuid } from './field.ts'
import { rewrapDataKeysEndpoint, rotationProblems } from './key-rotation.ts'
import { page, pageQuery } from './page.ts'
import { defineProblems } from './problem.ts'
import { authInfoEndpoints, authInfoProblems } from './webhooks-auth-info.ts'

export const problems = defineProblems({
  subscription_not_found: {
    status: 404,
    title: 'There is no such webhook subscription',
    explanation: 'The business unit has no webhook subscription with this id.',
  },
  delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    explanation: 'The business unit has no delivery with this id.',
  },
  destination_not_allowed: {
    status: 422,
    title: 'The destination cannot be used',
    explanation:
      'A destination, or a token_url, is an https URL on port 443 or 8443 without user-info, to a name whose every address is public. `errors` says which rule it breaks, and which address breaks it.',
  },
  unknown_event_type: {
    status: 422,
    title: 'An event type is not known',
    explanation: '`errors` names each unknown entry, `known_event_types` lists all names. `prefix.*` must match one.',
  },
  unknown_auth_info: {
    status: 422,
    title: 'The authentication configuration does not exist',
    explanation: '`webhook_auth_info_id` is not an authentication configuration of the tenant.',
  },
  too_many_subscriptions: {
    status: 409,
    title: 'The business unit has as many subscriptions as it may have',
    explanation: 'A business unit may have 100 webhook subscriptions. Delete one that is no longer needed.',
  },
  queue_not_found: {
    status: 404,
    title: 'There is no such queue',
    explanation: 'No dead-letter queue has this name.',
  },
  subscription_disabled: {
    status: 409,
    title: 'The subscription is disabled',
    explanation: 'What would be sent to a disabled subscription is held. Enable it first.',
  },
  ...authInfoProblems,
  ...rotationProblems,
})

/** Per business unit. */
export const subscriptionsMax = 100

/** Seven days. */
const graceSecondsMax = 604_800

const eventTypes = z
  .array(text(200))
  .min(1)
  .max(100)
  .nullable()
  .describe('Exact names or `prefix.*`; null is every type')

const subscription = z.object({
  id: uuid,
  business_unit_id: uuid,
  destination_url: z.string(),
  label: z.string().nullable(),
  event_types: z.array(z.string()).nullable(),
  webhook_auth_info_id: uuid.nullable(),
  enabled: z.boolean(),
  /** Redacted but for a reveal: `whsec_…`. */
  secret: z.string(),
  created_at: instant,
  updated_at: instant,
})

export type Subscription = z.input<typeof subscription>

const subscriptionDisabled = z.object({
  id: uuid,
  destination_url: z.string(),
  label: z.string().nullable(),
  /** gone: the destination answered 410. */
  reason: z.enum(['gone']),
  updated_at: instant,
})

export type SubscriptionDisabled = z.input<typeof subscriptionDisabled>

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

const attempt = z.object({
  number: z.int(),
  started_at: instant,
  duration_ms: z.int(),
  status_code: z.int().nullable(),
  error_kind: z.enum(errorKinds).nullable(),
  error_detail: z.string().nullable(),
  /** The first 16 KiB, as text. */
  response_body: z.string().nullable(),
  response_truncated: z.boolean(),
  /** Milliseconds from the start to each step; null where it was not reached, or not needed on a kept connection. */
  timings: z.object({
    dns_ms: z.int().nullable(),
    connect_ms: z.int().nullable(),
    tls_ms: z.int().nullable(),
    first_byte_ms: z.int().nullable(),
  }),
  next_attempt_at: instant.nullable(),
})

const deliveryShape = {
  id: uuid,
  subscription_id: uuid,
  business_unit_id: uuid,
  tenant_event_id: uuid,
  event_type: z.string(),
  status: z.enum(deliveryStatuses),
  attempt_count: z.int(),
  next_attempt_at: instant.nullable(),
  trace_id: uuid,
  created_at: instant,
  updated_at: instant,
}

const delivery = z.object(deliveryShape)
const deliveryWithAttempts = z.object({ ...deliveryShape, destination_url: z.string(), attempts: z.array(attempt) })

export type Attempt = z.input<typeof attempt>
export type Delivery = z.input<typeof delivery>
export type DeliveryWithAttempts = z.input<typeof deliveryWithAttempts>

const unit = { business_unit_id: id }
const unitParams = z.strictObject(unit)
const params = z.strictObject({ ...unit, bu_webhook_id: id })

const queueParams = z.strictObject({ queue: text(200) })
const chosen = z
  .strictObject({ ids: z.array(text(255)).min(1).max(1000).optional(), all: z.literal(true).optional() })
  .refine((body) => (body.ids === undefined) !== (body.all === undefined), 'must give either ids or all')

/** In webhooks.dead-letters `id` is the delivery's, and nothing is null. In webhooks.quarantine, what the message shows. */
const deadLetter = z.object({
  id: z.string(),
  tenant_id: z.string().nullable(),
  business_unit_id: z.string().nullable(),
  event_type: z.string().nullable(),
  tenant_event_id: z.string().nullable(),
  destination_url: z.string().nullable(),
  attempts: z.int(),
  last_error: z.string(),
  dead_at: instant.nullable(),
})

export type DeadLetter = z.input<typeof deadLetter>

export const webhooks = contract({
  service: 'webhooks',
  problems,
  endpoints: {
    createSubscription: {
      method: 'POST',
      path: '/v1/webhooks/{business_unit_id}/webhooks',
      audience: 'tenant',
      permission: 'webhook:CreateSubscription',
      summary: 'Create a webhook subscription.',
      params: unitParams,
      body: z.strictObject({
        destination_url: text(2048),
        label: text(200).nullable().default(null),
        event_types: eventTypes.default(null),
        webhook_auth_info_id: id.nullable().default(null),
        enabled: z.boolean().default(true),
      }),
      replies: { 201: subscription },
      problems: ['destination_not_allowed', 'unknown_event_type', 'unknown_auth_info', 'too_many_subscriptions'],
      idempotent: true,
    },
    listSubscriptions: {
      method: 'GET',
      path: '/v1/webhooks/{business_unit_id}/webhooks',
      audience: 'tenant',
      permission: 'webhook:ReadSubscription',
      summary: 'List the webhook subscriptions of a business unit, secrets redacted.',
      params: unitParams,
      query: pageQuery,
      replies: { 200: page(subscription) },
    },
    revealSubscriptions: {
      method: 'GET',
      path: '/v1/webhooks/{business_unit_id}/webhooks/reveal',
      audience: 'tenant',
      permission: 'webhook:RevealSecret',
      summary: 'List the webhook subscriptions of a business unit with their secrets.',
      params: unitParams,
      query: pageQuery,
      replies: { 200: page(subscription) },
      reveals: true,
    },
    readSubscription: {
      method: 'GET',
      path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}',
      audience: 'tenant',
      permission: 'webhook:ReadSubscription',
      summary: 'Read a webhook subscription, secret redacted.',
      params,
      replies: { 200: subscription },
      problems: ['subscription_not_found'],
    },
    revealSubscription: {
      method: 'GET',
      path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/reveal',
      audience: 'tenant',
      permission: 'webhook:RevealSecret',
      summary: 'Read a webhook subscription with its secret.',
      params,
      replies: { 200: subscription },
      problems: ['subscription_not_found'],
      reveals: true,
    },
    updateSubscription: {
      method: 'PUT',
      path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}',
      audience: 'tenant',
      permission: 'webhook:UpdateSubscription',
      summary: 'Replace the given fields of a webhook subscription.',
      params,
      body: z
        .strictObject({
          destination_url: text(2048).optional(),
          label: text(200).nullable().optional(),
          event_types: eventTypes.optional(),
          webhook_auth_info_id: id.nullable().optional(),
          enabled: z.boolean().optional(),
        })
        .refine((body) => Object.keys(body).length > 0, 'must change at least one field'),
      replies: { 200: subscription },
      problems: ['subscription_not_found', 'destination_not_allowed', 'unknown_event_type', 'unknown_auth_info'],
    },
    deleteSubscription: {
      method: 'DELETE',
      path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}',
      audience: 'tenant',
      permission: 'webhook:DeleteSubscription',
      summary: 'Delete a webhook subscription. Deliveries not yet made are discarded.',
      params,
      replies: { 204: null },
      problems: ['subscription_not_found'],
    },
    rotateSubscriptionSecret: {
      method: 'POST',
      path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/rotate-secret',
      audience: 'tenant',
      permission: 'webhook:UpdateSubscription',
      summary:
        'Give a webhook subscription a new secret, to be had by a reveal. The former one signs as well for the grace period; one from an earlier rotation ends now.',
      params,
      body: z.strictObject({ grace_period_seconds: z.int().min(0).max(graceSecondsMax).default(0) }),
      replies: { 200: subscription },
      problems: ['subscription_not_found'],
      idempotent: true,
    },
    sendTestEvent: {
      method: 'POST',
      path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/test',
      audience: 'tenant',
      permission: 'webhook:SendTestEvent',
      summary:
        'Send a webhooks.test event to this subscription alone, whatever types it chose, by the way of all events.',
      params,
      replies: { 202: z.object({ tenant_event_id: uuid }) },
      problems: ['subscription_not_found', 'subscription_disabled'],
      idempotent: true,
    },
    ...authInfoEndpoints,
    listDeliveries: {
      method: 'GET',
      path: '/v1/webhooks/{business_unit_id}/deliveries',
      audience: 'tenant',
      permission: 'webhook:ReadDelivery',
      summary: 'List the deliveries of a business unit.',
      params: unitParams,
      query: pageQuery.extend({
        subscription_id: id.optional(),
        status: z.enum(deliveryStatuses).optional(),
        event_type: text(200).optional(),
        created_after: instantInput.optional(),
        created_before: instantInput.optional(),
      }),
      replies: { 200: page(delivery) },
    },
    readDelivery: {
      method: 'GET',
      path: '/v1/webhooks/{business_unit_id}/deliveries/{delivery_id}',
      audience: 'tenant',
      permission: 'webhook:ReadDelivery',
      summary: 'Read a delivery with every attempt.',
      params: z.strictObject({ ...unit, delivery_id: id }),
      replies: { 200: deliveryWithAttempts },
      problems: ['delivery_not_found'],
    },
    listEventTypes: {
      method: 'GET',
      path: '/v1/webhooks/event-types',
      audience: 'tenant',
      permission: 'webhook:ReadDelivery',
      summary: 'List the event types with the JSON schema of their payload.',
      replies: {
        200: z.object({
          data: z.array(
            z.object({ name: z.string(), description: z.string(), payload_schema: z.record(z.string(), z.unknown()) }),
          ),
          next_cursor: z.null(),
        }),
      },
    },
    listDeadLetterQueues: {
      method: 'GET',
      path: '/internal/dead-letter-queues',
      audience: 'internal',
      summary: 'List the dead-letter queues with their depth.',
      replies: {
        200: z.object({ data: z.array(z.object({ name: z.string(), depth: z.int(), oldest_at: instant.nullable() })) }),
      },
    },
    peekDeadLetters: {
      method: 'GET',
      path: '/internal/dead-letter-queues/{queue}/messages',
      audience: 'internal',
      summary: 'Look at dead letters, oldest first, without taking them.',
      params: queueParams,
      query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(20) }),
      replies: { 200: z.object({ data: z.array(deadLetter) }) },
      problems: ['queue_not_found'],
    },
    redriveDeadLetters: {
      method: 'POST',
      path: '/internal/dead-letter-queues/{queue}/redrive',
      audience: 'internal',
      summary: 'Give dead letters a fresh schedule.',
      params: queueParams,
      body: chosen,
      replies: { 200: z.object({ redriven: z.int() }) },
      problems: ['queue_not_found'],
    },
    discardDeadLetters: {
      method: 'POST',
      path: '/internal/dead-letter-queues/{queue}/discard',
      audience: 'internal',
      summary: 'Give dead letters up for good.',
      params: queueParams,
      body: chosen,
      replies: { 200: z.object({ discarded: z.int() }) },
      problems: ['queue_not_found'],
    },
    rewrapDataKeys: rewrapDataKeysEndpoint,
  },
  events: {
    'webhooks.test': {
      description: 'A test event, asked for by the tenant. Only the subscription it names receives it.',
      scope: 'business_unit',
      payload: z.object({ subscription_id: uuid, message: z.string() }),
    },
    'webhooks.subscriptions.disabled': {
      description: 'A webhook subscription was disabled because its destination is gone.',
      scope: 'business_unit',
      payload: subscriptionDisabled,
    },
  },
})
