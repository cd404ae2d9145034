import { z } from 'zod'
import type { Endpoint } from '../grammar/contract.ts'
import { instant, text } from '../grammar/field.ts'
import { limitMax, page, positionedPageQuery } from '../grammar/page.ts'
import { defineProblems } from '../grammar/problem.ts'
import { internalRoute } from '../grammar/route.ts'

/**
 * Queues that operators read with `payctl dlq`. Each service that consumes messages has a quarantine queue for messages
 * that no handler can process. The endpoints have the same paths in every service.
 */
export const quarantineQueues = {
  webhooks: 'webhooks.quarantine',
  'payment-proxy': 'payment-proxy.quarantine',
  communication: 'communication.quarantine',
  'invite-to-pay': 'invite-to-pay.quarantine',
  audit: 'audit.quarantine',
} as const
/** A service that consumes messages. */
export type ConsumingService = keyof typeof quarantineQueues
export type QuarantineQueueName = (typeof quarantineQueues)[keyof typeof quarantineQueues]

/** Events of recorded facts that their contract rejected, as rows of the service. */
export const quarantinedEventsQueue = 'payment-proxy.quarantined-events'

export function serviceOfQuarantine(queue: QuarantineQueueName): string {
  return queue.slice(0, -'.quarantine'.length)
}

export const queueProblems = defineProblems({
  queue_not_found: {
    status: 404,
    title: 'Queue not found',
    explanation: 'The service has no dead-letter queue with this name.',
  },
})

export const queueParams = z.strictObject({ queue: text(200) })

/** The operator at the command line, for the log of the service. */
export const operator = text(200)

export const messageIds = z.array(text(255)).min(1).max(1000).describe('Ids of messages. Unknown ones are skipped.')
const dryRun = z.boolean().default(false).describe('Only count the messages; change nothing.')
const reason = text(500).describe('Why the messages are discarded.')
const counted = z.object({ count: z.int().describe('Number of messages selected.') })

export const hasIdsOrFilter = (body: { ids?: unknown; filter?: unknown }) =>
  (body.ids === undefined) !== (body.filter === undefined)
export const idsOrFilterMessage = 'must have either ids or filter'
/** The same for the documentation. */
export const idsOrFilterShape = { oneOf: [{ required: ['ids'] }, { required: ['filter'] }] }

/** In webhooks.dead-letters, `id` names the delivery and no field is null. In a quarantine queue, some may be. */
const queued = z.object({
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
export type QueuedDeadLetter = z.input<typeof queued>

/** The content of a quarantined message cannot be trusted, so there is no filter by content. */
const choice = {
  operator,
  ids: messageIds.optional(),
  filter: z.strictObject({}).optional().describe('`{}` selects every message.'),
  dry_run: dryRun,
}

export const listDeadLetterQueuesEndpoint = {
  ...internalRoute('GET', '/internal/dead-letter-queues', 'payctl'),
  summary: 'List the dead-letter queues with their depth, by name.',
  query: positionedPageQuery(limitMax),
  replies: { 200: page(z.object({ name: z.string(), depth: z.int(), oldest_at: instant.nullable() })) },
} as const satisfies Endpoint

export const peekQueueEndpoint = {
  ...internalRoute('GET', '/internal/dead-letter-queues/{queue}/messages', 'payctl'),
  summary: 'List the messages of a dead-letter queue, oldest first, without consuming them.',
  params: queueParams,
  query: positionedPageQuery(50),
  replies: { 200: page(queued) },
  problems: ['queue_not_found'],
} as const satisfies Endpoint

/** For a service whose only dead-letter queue is its quarantine queue. */
export const quarantineEndpoints = {
  listDeadLetterQueues: listDeadLetterQueuesEndpoint,
  peekQueue: peekQueueEndpoint,
  redriveQueue: {
    ...internalRoute('POST', '/internal/dead-letter-queues/{queue}/redrive', 'payctl'),
    summary: 'Return quarantined messages to the queues that they came from.',
    params: queueParams,
    body: z.strictObject(choice).refine(hasIdsOrFilter, idsOrFilterMessage),
    replies: { 200: counted },
    problems: ['queue_not_found'],
  },
  discardQueue: {
    ...internalRoute('POST', '/internal/dead-letter-queues/{queue}/discard', 'payctl'),
    summary: 'Delete quarantined messages.',
    params: queueParams,
    body: z.strictObject({ ...choice, reason }).refine(hasIdsOrFilter, idsOrFilterMessage),
    replies: { 200: counted },
    problems: ['queue_not_found'],
  },
} as const satisfies Record<string, Endpoint>
