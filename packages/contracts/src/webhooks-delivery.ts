import { z } from 'zod'
import type { Endpoint } from './contract.ts'
import { id, instant, instantInput, text, uuid } from './field.ts'
import { page, pageQuery } from './page.ts'
import { defineProblems } from './problem.ts'

/** Deliveries and their attempts, and how a tenant finds out why an event did not arrive and has it sent again. */
export const deliveryProblems = defineProblems({
  delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    explanation: 'The business unit has no delivery with this id.',
  },
  event_not_found: {
    status: 404,
    title: 'There is no such event',
    explanation:
      'No event with this id has concerned the business unit within the retention of events. One that has just happened takes a moment to arrive.',
  },
  delivery_in_progress: {
    status: 409,
    title: 'The delivery is under way',
    explanation:
      'An attempt is about to be made or is being made. Read the delivery to see what comes of it, and retry it afterwards.',
  },
  subscription_deleted: {
    status: 409,
    title: 'The subscription of the delivery was deleted',
    explanation: 'Nothing is sent for a deleted subscription. Create another one for the same destination.',
  },
  subscription_disabled: {
    status: 409,
    title: 'The subscription is disabled',
    explanation: 'Nothing is sent for a disabled subscription. Enable it first; what was held meanwhile is then sent.',
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

export const attempt = z.object({
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

export const explainedOutcomes = [
  'delivered',
  'pending',
  'retrying',
  'held',
  'dead',
  'discarded',
  'not_matched',
] as const
export type ExplainedOutcome = (typeof explainedOutcomes)[number]

const explanation = z.object({
  tenant_event_id: uuid,
  event_type: z.string(),
  occurred_at: instant,
  subscriptions: z.array(
    z.object({
      subscription_id: uuid,
      outcome: z.enum(explainedOutcomes),
      /** In words. */
      reason: z.string(),
      delivery_id: uuid.nullable(),
    }),
  ),
})
export type Explanation = z.input<typeof explanation>

const unit = { business_unit_id: id }
const deliveryParams = z.strictObject({ ...unit, delivery_id: id })

export const deliveryEndpoints = {
  listDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{business_unit_id}/deliveries',
    audience: 'tenant',
    permission: 'webhook:ReadDelivery',
    summary: 'List the deliveries of a business unit.',
    params: z.strictObject(unit),
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
    params: deliveryParams,
    replies: { 200: deliveryWithAttempts },
    problems: ['delivery_not_found'],
  },
  retryDelivery: {
    method: 'POST',
    path: '/v1/webhooks/{business_unit_id}/deliveries/{delivery_id}/retry',
    audience: 'tenant',
    permission: 'webhook:RetryDelivery',
    summary: 'Send a delivery again, a delivered one too: a fresh schedule, the same tenant_event_id.',
    params: deliveryParams,
    replies: { 202: delivery },
    problems: ['delivery_not_found', 'delivery_in_progress', 'subscription_deleted', 'subscription_disabled'],
    idempotent: true,
  },
  explainEvent: {
    method: 'GET',
    path: '/v1/webhooks/{business_unit_id}/events/{tenant_event_id}',
    audience: 'tenant',
    permission: 'webhook:ReadDelivery',
    summary: 'Explain, for each subscription of a business unit, what became of an event, and why.',
    params: z.strictObject({ ...unit, tenant_event_id: id }),
    replies: { 200: explanation },
    problems: ['event_not_found'],
  },
} as const satisfies Record<string, Endpoint<Extract<keyof typeof deliveryProblems, string>>>
