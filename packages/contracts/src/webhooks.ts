import { z } from 'zod'
import { contract } from './contract.ts'
import { id, instant, instantInput, text, uuid } from './field.ts'
import { reencryptSecretsEndpoint, rewrapDataKeysEndpoint, rotationProblems } from './key-rotation.ts'
import { limitMax, page, pageQuery, positionedPageQuery } from './page.ts'
import { defineProblems } from './problem.ts'
import { authInfoEndpoints, authInfoProblems } from './webhooks-auth-info.ts'
import {
  begun,
  deadLetterEndpoints,
  deadLetterOperatorEndpoints,
  deadLetterProblems,
  reason,
} from './webhooks-dead-letters.ts'
import { deliveryEndpoints, deliveryProblems } from './webhooks-delivery.ts'

export const problems = defineProblems({
  subscription_not_found: {
    status: 404,
    title: 'There is no such webhook subscription',
    explanation: 'The business unit has no webhook subscription with this id.',
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
  ...authInfoProblems,
  ...deliveryProblems,
  ...deadLetterProblems,
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

const unit = { business_unit_id: id }
const unitParams = z.strictObject(unit)
const params = z.strictObject({ ...unit, bu_webhook_id: id })

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
    recoverSubscription: {
      method: 'POST',
      path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/recover',
      audience: 'tenant',
      permission: 'webhook:RetryDelivery',
      summary: 'Send again what a subscription should have received in a range of time and did not.',
      params,
      body: z
        .strictObject({
          since: instantInput,
          until: instantInput,
          include_unmatched: z
            .boolean()
            .default(false)
            .describe('events too that the subscription did not match then and would match now'),
        })
        .refine(({ since, until }) => since < until, { path: ['until'], message: 'must be after since' })
        .meta({ examples: [{ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }] }),
      replies: { 202: begun },
      problems: ['subscription_not_found', 'subscription_disabled', 'too_many_tasks'],
      idempotent: true,
    },
    discardHeldDeliveries: {
      method: 'POST',
      path: '/v1/webhooks/{business_unit_id}/webhooks/{bu_webhook_id}/discard-held',
      audience: 'tenant',
      permission: 'deadletter:DiscardDeadLetter',
      summary:
        'Give up for good what is held for a subscription: it was disabled, or its destination keeps failing. A task does it.',
      params,
      body: z.strictObject({ reason }),
      replies: { 202: begun },
      problems: ['subscription_not_found', 'too_many_tasks'],
      idempotent: true,
    },
    ...deliveryEndpoints,
    listEventTypes: {
      method: 'GET',
      path: '/v1/webhooks/event-types',
      audience: 'tenant',
      permission: 'webhook:ReadDelivery',
      summary: 'List the event types with the JSON schema of their payload, by name.',
      query: positionedPageQuery(limitMax),
      replies: {
        200: page(
          z.object({ name: z.string(), description: z.string(), payload_schema: z.record(z.string(), z.unknown()) }),
        ),
      },
    },
    ...deadLetterEndpoints,
    ...deadLetterOperatorEndpoints,
    purgeDeliveries: {
      method: 'POST',
      path: '/internal/deliveries/purge',
      audience: 'internal',
      summary: 'Forget events, deliveries and attempts that are older than so many days.',
      body: z.strictObject({ keep_days: z.int().min(1).max(3650) }),
      replies: {
        200: z.object({
          partitions_dropped: z.int().describe('Days whose rows were dropped, by table'),
          rows_deleted: z.int().describe('Rows of days that have no partition of their own'),
        }),
      },
    },
    rewrapDataKeys: rewrapDataKeysEndpoint,
    reencryptSecrets: reencryptSecretsEndpoint,
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
