import { z } from 'zod'
import { statisticsEndpoint, usageEndpoint } from '../../endpoints/hourly-counts.ts'
import { reencryptSecretsEndpoint, rewrapDataKeysEndpoint, rotationProblems } from '../../endpoints/key-rotation.ts'
import { contract } from '../../grammar/contract.ts'
import { unitEvent } from '../../grammar/event.ts'
import { id, instant, instantInput, text, updateBody, uuid } from '../../grammar/field.ts'
import { urlText } from '../../grammar/host.ts'
import { nameText } from '../../grammar/name.ts'
import { limitMax, page, pageQuery, positionedPageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { internalRoute, tenantRoute } from '../../grammar/route.ts'
import { businessUnitProblems } from '../../problems/business-unit.ts'
import { destinationProblems } from '../../problems/destination.ts'
import { authInfoEndpoints, authInfoProblems } from './auth-info.ts'
import { changeEndpoints } from './changes.ts'
import {
  counted,
  deadLetterEndpoints,
  deadLetterOperatorEndpoints,
  deadLetterProblems,
  pace,
  reason,
  taskAccepted,
} from './dead-letters.ts'
import { deliveryEndpoints, deliveryProblems, deliveryStatuses } from './delivery.ts'
import { subscriptionHealth } from './health.ts'

export const problems = defineProblems({
  subscription_not_found: {
    status: 404,
    title: 'Webhook subscription not found',
    explanation: 'The business unit has no webhook subscription with this id.',
  },
  unknown_event_type: {
    status: 422,
    title: 'Unknown event type',
    explanation:
      '`errors` names each unknown entry; `known_event_types` lists all event types. `prefix.*` must match at least one.',
    members: z.object({ known_event_types: z.array(z.string()).describe('All event types, by name.') }),
  },
  unknown_auth_info: {
    status: 422,
    title: 'Unknown authentication configuration',
    explanation: '`webhook_auth_info_id` names no authentication configuration of the tenant.',
  },
  too_many_subscriptions: {
    status: 409,
    title: 'Too many webhook subscriptions',
    explanation: 'A business unit can have 100 webhook subscriptions. Delete unused ones.',
  },
  ...businessUnitProblems,
  ...destinationProblems,
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
  .array(text(200).meta({ id: 'EventTypePattern', description: 'Name of an event type, or a prefix with `.*`.' }))
  .min(1)
  .max(100)
  .nullable()
  .describe('Event types to receive: exact names or `prefix.*`. Null means every type.')

const enabledText = 'Whether deliveries are sent. Deliveries of a disabled subscription are held.'

const subscriptionShape = {
  id: uuid.describe('Identifier of the subscription.'),
  business_unit_id: uuid.describe('Business unit whose events the subscription receives.'),
  destination_url: z.string().describe('URL that receives the deliveries.'),
  label: z.string().nullable().describe('Display name.'),
  event_types: z.array(z.string()).nullable().describe('Event types to receive. Null means every type.'),
  webhook_auth_info_id: uuid.nullable().describe('Authentication configuration of the deliveries.'),
  enabled: z.boolean().describe(enabledText),
  secret: z.string().describe('Signing secret, `whsec_…`. Masked except in a reveal.'),
  created_at: instant.describe('When the subscription was created.'),
  updated_at: instant.describe('When the subscription last changed.'),
}
const subscription = z
  .object(subscriptionShape)
  .meta({ id: 'WebhookSubscription', description: 'A destination that receives the events of a business unit.' })
const listedSubscription = z
  .object({ ...subscriptionShape, health: subscriptionHealth.optional().describe('Only with `include=health`.') })
  .meta({ id: 'ListedWebhookSubscription', description: 'A webhook subscription, with its health on request.' })

export type Subscription = z.input<typeof subscription>
export type ListedSubscription = z.input<typeof listedSubscription>

const subscriptionDisabled = z.object({
  id: uuid.describe('Identifier of the subscription.'),
  destination_url: z.string().describe('Destination of the subscription.'),
  label: z.string().nullable().describe('Display name.'),
  reason: z.enum(['gone']).describe('`gone`: the destination responded with 410.'),
  updated_at: instant.describe('When the subscription was disabled.'),
})

export type SubscriptionDisabled = z.input<typeof subscriptionDisabled>

const unit = { business_unit_id: id.describe('Identifier of the business unit.') }
const unitParams = z.strictObject(unit)
const params = z.strictObject({ ...unit, bu_webhook_id: id.describe('Identifier of the webhook subscription.') })

const listQuery = pageQuery.extend({
  include: z.enum(['health']).optional().describe('`health` adds the health of each subscription.'),
})
export type SubscriptionListQuery = z.output<typeof listQuery>

const destinationText = 'HTTPS URL that receives the deliveries. Every address of its host name must be public.'
const authInfoText = 'Authentication configuration whose credentials the deliveries carry. Null means none.'

const path = '/v1/webhooks/{business_unit_id}/webhooks'
const onePath = `${path}/{bu_webhook_id}` as const

export const webhooks = contract({
  service: 'webhooks',
  description: 'Webhook subscriptions, deliveries and dead letters.',
  problems,
  endpoints: {
    createSubscription: {
      ...tenantRoute('POST', path, 'webhook:CreateSubscription'),
      readsPermissions: ['webhook:RevealAuthInfo'],
      summary: 'Create a webhook subscription.',
      description:
        'With an authentication configuration, requires webhook:RevealAuthInfo unless the host of the destination is among its `hosts`.',
      example: {
        destination_url: 'https://example.com/webhooks/payments',
        label: 'Ledger',
        event_types: ['payment-proxy.transactions.*'],
      },
      params: unitParams,
      body: z.strictObject({
        destination_url: urlText.describe(destinationText),
        label: nameText(200).nullable().default(null).describe('Display name.'),
        event_types: eventTypes.default(null),
        webhook_auth_info_id: id.nullable().default(null).describe(authInfoText),
        enabled: z.boolean().default(true).describe(enabledText),
      }),
      replies: { 201: subscription },
      location: `${path}/{id}`,
      problems: [
        'business_unit_not_found',
        'business_unit_deleted',
        'destination_not_allowed',
        'unknown_event_type',
        'unknown_auth_info',
        'too_many_subscriptions',
      ],
      idempotent: true,
      sensitive: true,
    },
    listTenantSubscriptions: {
      ...tenantRoute('GET', '/v1/webhooks/subscriptions', 'webhook:ReadSubscription'),
      summary: 'List the webhook subscriptions of all business units with masked secrets, newest first.',
      query: listQuery.extend({
        business_unit_id: id.optional().describe('Only subscriptions of this business unit.'),
      }),
      replies: { 200: page(listedSubscription) },
    },
    listSubscriptions: {
      ...tenantRoute('GET', path, 'webhook:ReadSubscription'),
      summary: 'List the webhook subscriptions of a business unit with masked secrets.',
      params: unitParams,
      query: listQuery,
      replies: { 200: page(listedSubscription) },
      problems: ['business_unit_not_found'],
    },
    revealSubscriptions: {
      ...tenantRoute('GET', `${path}/reveal`, 'webhook:RevealSecret'),
      summary: 'Reveal the signing secrets of the webhook subscriptions of a business unit.',
      params: unitParams,
      query: pageQuery,
      replies: { 200: page(subscription) },
      problems: ['business_unit_not_found'],
      reveals: true,
      sensitive: true,
    },
    readSubscription: {
      ...tenantRoute('GET', onePath, 'webhook:ReadSubscription'),
      summary: 'Read a webhook subscription with its masked secret.',
      params,
      replies: { 200: subscription },
      problems: ['business_unit_not_found', 'subscription_not_found'],
    },
    readSubscriptionHealth: {
      ...tenantRoute('GET', `${onePath}/health`, 'webhook:ReadSubscription'),
      summary: 'Read whether the deliveries of a webhook subscription reach its receiver, and why not.',
      params,
      replies: { 200: subscriptionHealth },
      problems: ['business_unit_not_found', 'subscription_not_found'],
    },
    revealSubscription: {
      ...tenantRoute('GET', `${onePath}/reveal`, 'webhook:RevealSecret'),
      summary: 'Reveal the signing secret of a webhook subscription.',
      params,
      replies: { 200: subscription },
      problems: ['business_unit_not_found', 'subscription_not_found'],
      reveals: true,
      sensitive: true,
    },
    updateSubscription: {
      ...tenantRoute('PUT', onePath, 'webhook:UpdateSubscription'),
      readsPermissions: ['webhook:RevealAuthInfo'],
      summary: 'Update the given fields of a webhook subscription.',
      description:
        'Attaching an authentication configuration, or changing the destination of a subscription that has one, requires webhook:RevealAuthInfo unless the host of the destination is among its `hosts`.',
      example: { event_types: ['payment-proxy.transactions.*', 'api-key.keys.*'], enabled: true },
      params,
      body: updateBody(
        z.strictObject({
          destination_url: urlText.optional().describe(destinationText),
          label: nameText(200).nullable().optional().describe('Display name.'),
          event_types: eventTypes.optional(),
          webhook_auth_info_id: id.nullable().optional().describe(authInfoText),
          enabled: z.boolean().optional().describe(enabledText),
        }),
      ),
      replies: { 200: subscription },
      problems: [
        'business_unit_not_found',
        'subscription_not_found',
        'destination_not_allowed',
        'unknown_event_type',
        'unknown_auth_info',
      ],
      sensitive: true,
    },
    deleteSubscription: {
      ...tenantRoute('DELETE', onePath, 'webhook:DeleteSubscription'),
      summary: 'Delete a webhook subscription and discard its unfinished deliveries.',
      params,
      replies: { 204: null },
      problems: ['business_unit_not_found', 'subscription_not_found'],
    },
    rotateSubscriptionSecret: {
      ...tenantRoute('POST', `${onePath}/rotate-secret`, 'webhook:UpdateSubscription'),
      summary: 'Rotate the signing secret of a webhook subscription.',
      description:
        'During the grace period, deliveries are signed with both secrets. A previous rotation still in its grace period ends now. Reveal the subscription to see the new secret.',
      example: { grace_period_seconds: 86_400 },
      params,
      body: z.strictObject({
        grace_period_seconds: z
          .int()
          .min(0)
          .max(graceSecondsMax)
          .default(0)
          .describe('Seconds during which the previous secret also signs.'),
      }),
      replies: { 200: subscription },
      problems: ['business_unit_not_found', 'subscription_not_found'],
      idempotent: true,
      sensitive: true,
    },
    sendTestEvent: {
      ...tenantRoute('POST', `${onePath}/test`, 'webhook:SendTestEvent'),
      summary: 'Send a `webhooks.test` event to this subscription, regardless of its event types.',
      description:
        'The first attempt is made at once, also while the subscription is disabled or its circuit breaker is open. List the deliveries of the event to see the response.',
      params,
      replies: { 202: z.object({ tenant_event_id: uuid.describe('Identifier of the test event.') }) },
      problems: ['business_unit_not_found', 'business_unit_deleted', 'subscription_not_found'],
      idempotent: true,
    },
    ...authInfoEndpoints,
    recoverSubscription: {
      ...tenantRoute('POST', `${onePath}/recover`, 'webhook:RetryDelivery'),
      summary: 'Recover the events that a subscription missed in a time range.',
      description:
        'A task redelivers the failed, dead and held deliveries of the range. `readRecovery` shows its progress. With `dry_run`, the response only counts them.',
      params,
      example: { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
      body: z
        .strictObject({
          since: instantInput.describe('Start of the time range, which includes this instant.'),
          until: instantInput.describe('End of the time range, which does not include this instant.'),
          include_unmatched: z
            .boolean()
            .default(false)
            .describe('Also deliver events that the subscription did not match then and would match now.'),
          ...pace,
        })
        .refine(({ since, until }) => since < until, { path: ['until'], message: 'must be after since' })
        .meta({ examples: [{ since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }] }),
      replies: { 200: counted, 202: taskAccepted },
      problems: ['business_unit_not_found', 'subscription_not_found', 'subscription_disabled', 'too_many_tasks'],
      countsRows: true,
      idempotent: true,
    },
    discardHeldDeliveries: {
      ...tenantRoute('POST', `${onePath}/discard-held`, 'deadletter:DiscardDeadLetter'),
      summary: 'Discard the held deliveries of a subscription.',
      description: 'A task discards the deliveries for good.',
      example: { reason: 'The endpoint was retired' },
      params,
      body: z.strictObject({ reason }),
      replies: { 202: taskAccepted },
      problems: ['business_unit_not_found', 'subscription_not_found', 'too_many_tasks'],
      countsRows: true,
      idempotent: true,
    },
    ...deliveryEndpoints,
    ...changeEndpoints,
    readDeliveryStatistics: statisticsEndpoint('/v1/webhooks/statistics', 'webhook:ReadDelivery', deliveryStatuses, {
      id: 'DeliveryStatistics',
      noun: 'deliveries',
    }),
    readDeliveryUsage: usageEndpoint('/v1/webhooks/usage', 'webhook:ReadDelivery', {
      id: 'DeliveryUsage',
      noun: 'deliveries',
    }),
    listEventTypes: {
      ...tenantRoute('GET', '/v1/webhooks/event-types', 'webhook:ReadDelivery'),
      summary: 'List the event types with their payload schemas and examples, by name.',
      query: positionedPageQuery(limitMax),
      replies: {
        200: page(
          z.object({
            name: z.string().describe('Name of the event type.'),
            description: z.string().describe('When the event is emitted.'),
            payload_schema: z.record(z.string(), z.unknown()).describe('JSON Schema of `metadata.payload`.'),
            example: z
              .record(z.string(), z.unknown())
              .nullable()
              .describe('Example of `metadata.payload`. Null for a type without an example.'),
          }),
        ),
      },
    },
    ...deadLetterEndpoints,
    ...deadLetterOperatorEndpoints,
    purgeDeliveries: {
      ...internalRoute('POST', '/internal/deliveries/purge', 'payctl'),
      summary: 'Delete events, deliveries and attempts older than a number of days.',
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
    'webhooks.test': unitEvent(
      'A test event that a tenant requested. Only the named subscription receives it.',
      z.object({
        subscription_id: uuid.describe('Subscription that receives the event.'),
        message: z.string().describe('Text of the test event.'),
      }),
    ),
    'webhooks.subscriptions.disabled': unitEvent(
      'A webhook subscription was disabled because its destination responded with 410.',
      subscriptionDisabled,
    ),
  },
})
