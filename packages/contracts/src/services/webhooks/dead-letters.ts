import { z } from 'zod'
import {
  hasIdsOrFilter,
  idsOrFilterMessage,
  idsOrFilterShape,
  listDeadLetterQueuesEndpoint,
  messageIds,
  operator,
  peekQueueEndpoint,
  queueParams,
  queueProblems,
} from '../../endpoints/quarantine.ts'
import type { Endpoint } from '../../grammar/contract.ts'
import { id, instant, queryInteger, text, uuid, windowQuery } from '../../grammar/field.ts'
import { page, pageQuery, positionedPageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { internalRoute, tenantRoute } from '../../grammar/route.ts'
import { searchedPageText } from '../../grammar/searched-page.ts'
import { attemptRequest, errorKind, eventType, latestAttempts, payloadText } from './delivery.ts'
import { missingPermission, payloadPermissions } from './payload.ts'

/**
 * Dead letters: deliveries whose every attempt failed. A dead letter has the id of its delivery.
 * Tenants read their own below /v1/webhooks/dead-letters; operators read all through the internal endpoints.
 */
export const deadLetterProblems = defineProblems({
  dead_letter_not_found: {
    status: 404,
    title: 'Dead letter not found',
    explanation: 'No dead delivery has this id. It may have been redriven or discarded.',
  },
  task_not_found: {
    status: 404,
    title: 'Task not found',
    explanation: 'The tenant has no task with this id.',
  },
  task_finished: {
    status: 409,
    title: 'The task has already ended',
    explanation: 'Only a running task can be canceled. The changes that the task has made remain.',
  },
  too_many_tasks: {
    status: 409,
    title: 'Too many running tasks',
    explanation:
      'At most 20 tasks of a tenant run at the same time, and of a user or API key half of what the others leave. Wait for a task to end, or cancel one.',
  },
  ...queueProblems,
})

const statusCodeText = 'Only dead letters whose last attempt got this HTTP status.'

const filterShape = {
  business_unit_id: id.optional().describe('Only dead letters of this business unit.'),
  subscription_id: id.optional().describe('Only dead letters of this subscription.'),
  error_kind: errorKind.optional().describe('Only dead letters whose last attempt failed with this kind.'),
  status_code: z.int().min(0).max(999).optional().describe(statusCodeText),
  event_type: eventType.optional().describe('Only dead letters of events of this type.'),
  ...windowQuery('dead', 'deliveries that died'),
}

/** In a query, numbers arrive as text. */
const filterQuery = {
  ...filterShape,
  status_code: queryInteger(0, 999).optional().describe(statusCodeText),
}

const filter = z
  .strictObject(filterShape)
  .meta({ id: 'DeadLetterFilter', description: 'Conditions on dead letters. All of them must hold.' })
export type DeadLetterFilter = z.output<typeof filter>

export const deadLetterGroupings = ['cause', 'subscription', 'event_type'] as const
export type DeadLetterGrouping = (typeof deadLetterGroupings)[number]
const grouping = z.enum(deadLetterGroupings)

/** As `filterShape`, in a response. */
const shownFilterShape = {
  ...filterShape,
  business_unit_id: uuid.optional().describe('Business unit of the dead letters.'),
  subscription_id: uuid.optional().describe('Subscription of the dead letters.'),
  event_type: z.string().optional().describe('Event type of the dead letters.'),
  dead_after: instant.optional().describe('The deliveries died at or after this instant.'),
  dead_before: instant.optional().describe('The deliveries died before this instant.'),
}

const groupShape = {
  key: z
    .string()
    .describe('Value of the group. A cause is the error kind of the last attempt: `timeout`, `status:500`.'),
  count: z.int().describe('Number of dead letters in the group.'),
  oldest_at: instant.describe('When the first delivery of the group died.'),
  newest_at: instant.describe('When the last delivery of the group died.'),
  filter: z
    .object(shownFilterShape)
    .nullable()
    .describe(
      'Selects exactly this group, as the `filter` of a redrive or discard, or as the query of the list. Null for a group without a known cause.',
    ),
}
const groups = page(z.object(groupShape))
const inspectedFilter = z.object({ ...shownFilterShape, tenant_id: uuid.optional() }).nullable()
const inspectedGroups = page(z.object({ ...groupShape, filter: inspectedFilter }))
export type DeadLetterGroups = z.input<typeof inspectedGroups>
export type ShownDeadLetterFilter = NonNullable<z.input<typeof inspectedFilter>>

const deadLetterShape = {
  id: uuid.describe('Identifier of the dead letter: that of its delivery.'),
  business_unit_id: uuid.describe('Business unit of the subscription.'),
  subscription_id: uuid.describe('Subscription that did not receive the delivery.'),
  tenant_event_id: uuid.describe('Event that was not delivered.'),
  event_type: z.string().describe('Type of the event.'),
  destination_url: z.string().describe('URL that the last attempt was sent to.'),
  attempt_count: z.int().describe('Number of attempts made.'),
  error_kind: errorKind.nullable().describe('Why the last attempt failed.'),
  status_code: z.int().nullable().describe('HTTP status of the last attempt. Null without a response.'),
  last_error: z.string().describe('The failure of the last attempt in words.'),
  occurred_at: instant.describe('When the event happened.'),
  dead_at: instant.describe('When the last attempt failed.'),
}
const deadLetter = z
  .object(deadLetterShape)
  .meta({ id: 'DeadLetter', description: 'A delivery whose every attempt failed.' })
export type DeadLetter = z.input<typeof deadLetter>

const wholeShape = {
  ...deadLetterShape,
  request: attemptRequest.describe('The request of the last attempt.'),
  response: z
    .object({
      status_code: z.int().describe('HTTP status.'),
      body: z.string().nullable().describe('First 16 KiB of the response body, as text.'),
      truncated: z.boolean().describe('Whether the response body was longer than 16 KiB.'),
    })
    .nullable()
    .describe('The response to the last attempt. Null without a response.'),
  attempts: latestAttempts,
}
const wholeDeadLetter = z
  .object({ ...wholeShape, missing_permission: missingPermission })
  .meta({ id: 'DeadLetterWithAttempts', description: 'A dead letter with its request, response and attempts.' })
const inspectedDeadLetter = z.object({ ...wholeShape, tenant_id: uuid })
export type WholeDeadLetter = z.input<typeof wholeDeadLetter>
export type InspectedDeadLetter = z.input<typeof inspectedDeadLetter>

const taskKinds = ['redrive', 'discard', 'recover', 'discard_held'] as const
export type TaskKind = (typeof taskKinds)[number]
const taskStatuses = ['running', 'done', 'canceled', 'failed'] as const
export type TaskStatus = (typeof taskStatuses)[number]

const taskOutcomes = z
  .object({
    delivered: z.int().describe('Deliveries that the receiver accepted.'),
    dead: z.int().describe('Deliveries that died again: every attempt of the new schedule failed.'),
    waiting: z.int().describe('Deliveries with another attempt to come, held ones included.'),
    discarded: z.int().describe('Deliveries that were discarded after their restart.'),
    superseded: z
      .int()
      .describe(
        'Deliveries that a later task restarted, or that are past the retention period. 0 while the task runs.',
      ),
    counted_at: instant.describe('When the deliveries were counted.'),
    final: z.boolean().describe('Whether the task has ended and no delivery waits: the numbers stay.'),
  })
  .meta({ id: 'TaskOutcomes', description: 'The deliveries that a task restarted, by their state.' })

const taskShape = {
  id: uuid.describe('Identifier of the task.'),
  kind: z.enum(taskKinds).meta({ id: 'TaskKind' }).describe('Kind of the task.'),
  status: z.enum(taskStatuses).meta({ id: 'TaskStatus' }).describe('State of the task.'),
  total: z.int().describe('Number of deliveries that the task selected when it was created.'),
  done: z.int().describe('Number of deliveries that the task has changed.'),
  outcomes: taskOutcomes
    .nullable()
    .describe(
      'The deliveries that a redrive or a recovery restarted. Null for other tasks and before the first count.',
    ),
  subscription_id: uuid
    .nullable()
    .describe('Subscription whose deliveries the task changes. Null for a task over several subscriptions.'),
  reason: z.string().nullable().describe('Why the deliveries are discarded. Null for other tasks.'),
  rate_per_second: z.int().nullable().describe('Maximum deliveries per second. Null means no limit.'),
  created_by: z.string().describe('Actor that created the task: `api_key:…` or `user:…`.'),
  created_at: instant.describe('When the task was created.'),
  finished_at: instant.nullable().describe('When the task ended. Null while the task is running.'),
}
const task = z.object(taskShape).meta({ id: 'Task', description: 'A background task over many deliveries.' })
const inspectedTask = z.object({ ...taskShape, tenant_id: uuid.nullable() })
export type Task = z.input<typeof task>
export type InspectedTask = z.input<typeof inspectedTask>

export const pace = {
  dry_run: z.boolean().default(false).describe('Only count the deliveries; change nothing.'),
  rate_per_second: z.int().min(1).max(1_000).optional().describe('Maximum deliveries per second. Default: no limit.'),
}
export const reason = text(500).describe('Why the deliveries are discarded.')

const idsOrFilter = {
  ids: z.array(id).min(1).max(1000).optional().describe('Identifiers of dead letters. Unknown ones are skipped.'),
  filter: filter.optional().describe('Selects dead letters instead of `ids`. `{}` selects every dead letter.'),
}

export const counted = z.object({
  count: z.int().describe('Number of deliveries selected.'),
  counted_at: instant.describe(
    'When they were counted. As `dead_before`, it keeps those that die later out of a task.',
  ),
})
export const taskAccepted = z
  .object({ task_id: uuid.describe('Identifier of the task.') })
  .meta({ id: 'TaskAccepted', description: 'The task that executes the request.' })
const taskParams = z.strictObject({ task_id: id.describe('Identifier of the task.') })
const recoveryParams = z.strictObject({ recovery_id: id.describe('Identifier of the task of the recovery.') })
const letterParams = z.strictObject({ dead_letter_id: id.describe('Identifier of the dead letter.') })

const inQueue = {
  operator,
  ids: messageIds.optional(),
  filter: filter.extend({ tenant_id: id.optional() }).optional().describe('`{}` selects every message.'),
  ...pace,
}

type Code = Extract<keyof typeof deadLetterProblems, string>

export const deadLetterEndpoints = {
  listDeadLetters: {
    ...tenantRoute('GET', '/v1/webhooks/dead-letters', 'deadletter:ReadDeadLetter'),
    summary: 'List dead letters, or count them by cause, subscription or event type.',
    description: `Dead letters are listed newest first, groups largest first. ${searchedPageText}`,
    query: positionedPageQuery(50).extend({
      ...filterQuery,
      group_by: grouping.optional().describe('Count per cause, subscription or event type.'),
    }),
    replies: { 200: z.union([page(deadLetter), groups]) },
  },
  readDeadLetter: {
    ...tenantRoute('GET', '/v1/webhooks/dead-letters/{dead_letter_id}', 'deadletter:ReadDeadLetter'),
    readsPermissions: payloadPermissions,
    summary: 'Read a dead letter with its request, response and attempts.',
    description: payloadText,
    params: letterParams,
    replies: { 200: wholeDeadLetter },
    problems: ['dead_letter_not_found'],
  },
  redriveDeadLetters: {
    ...tenantRoute('POST', '/v1/webhooks/dead-letters/redrive', 'deadletter:RedriveDeadLetter'),
    summary: 'Redrive dead letters with a new schedule.',
    description: 'A task redrives the deliveries. With `dry_run`, the response only counts them.',
    example: { filter: { error_kind: 'timeout' }, dry_run: true },
    body: z
      .strictObject({ ...idsOrFilter, ...pace })
      .refine(hasIdsOrFilter, idsOrFilterMessage)
      .meta(idsOrFilterShape),
    replies: { 200: counted, 202: taskAccepted },
    problems: ['too_many_tasks'],
    countsRows: true,
    idempotent: true,
  },
  discardDeadLetters: {
    ...tenantRoute('POST', '/v1/webhooks/dead-letters/discard', 'deadletter:DiscardDeadLetter'),
    summary: 'Discard dead letters.',
    description: 'A task discards the deliveries for good. With `dry_run`, the response only counts them.',
    example: { filter: { error_kind: 'gone' }, reason: 'The endpoint was retired', dry_run: true },
    body: z
      .strictObject({ ...idsOrFilter, ...pace, reason })
      .refine(hasIdsOrFilter, idsOrFilterMessage)
      .meta(idsOrFilterShape),
    replies: { 200: counted, 202: taskAccepted },
    problems: ['too_many_tasks'],
    countsRows: true,
    idempotent: true,
  },
  listDeadLetterTasks: {
    ...tenantRoute('GET', '/v1/webhooks/dead-letters/tasks', 'deadletter:ReadDeadLetter'),
    summary: 'List the tasks that redrive, discard or recover deliveries.',
    query: pageQuery,
    replies: { 200: page(task) },
  },
  readDeadLetterTask: {
    ...tenantRoute('GET', '/v1/webhooks/dead-letters/tasks/{task_id}', 'deadletter:ReadDeadLetter'),
    summary: 'Read the progress of a task.',
    params: taskParams,
    replies: { 200: task },
    problems: ['task_not_found'],
  },
  cancelDeadLetterTask: {
    ...tenantRoute('POST', '/v1/webhooks/dead-letters/tasks/{task_id}/cancel', 'deadletter:ReadDeadLetter'),
    readsPermissions: ['deadletter:RedriveDeadLetter', 'deadletter:DiscardDeadLetter', 'webhook:RetryDelivery'],
    summary: 'Cancel a running task. The changes that it has made remain.',
    description:
      'Requires the permission that starts such a task too: deadletter:RedriveDeadLetter, deadletter:DiscardDeadLetter, or webhook:RetryDelivery for a recovery.',
    params: taskParams,
    replies: { 200: task },
    problems: ['task_not_found', 'task_finished'],
  },
  readRecovery: {
    ...tenantRoute('GET', '/v1/webhooks/recoveries/{recovery_id}', 'webhook:RetryDelivery'),
    summary: 'Read the progress of a recovery, with the permission that starts one.',
    params: recoveryParams,
    replies: { 200: task },
    problems: ['task_not_found'],
  },
  cancelRecovery: {
    ...tenantRoute('POST', '/v1/webhooks/recoveries/{recovery_id}/cancel', 'webhook:RetryDelivery'),
    summary: 'Cancel a running recovery. The deliveries that it has started again stay so.',
    params: recoveryParams,
    replies: { 200: task },
    problems: ['task_not_found', 'task_finished'],
  },
} as const satisfies Record<string, Endpoint<Code | 'invalid_request'>>

/** For payctl: over all tenants. */
export const deadLetterOperatorEndpoints = {
  listDeadLetterQueues: listDeadLetterQueuesEndpoint,
  peekQueue: {
    ...peekQueueEndpoint,
    query: peekQueueEndpoint.query.extend({ tenant_id: id.optional().describe('Only dead letters of this tenant.') }),
    problems: ['queue_not_found', 'invalid_request'],
  },
  redriveQueue: {
    ...internalRoute('POST', '/internal/dead-letter-queues/{queue}/redrive', 'payctl'),
    summary: 'Redrive dead letters with a task, or requeue quarantined messages at once.',
    params: queueParams,
    body: z.strictObject(inQueue).refine(hasIdsOrFilter, idsOrFilterMessage),
    replies: { 200: counted, 202: taskAccepted },
    problems: ['queue_not_found', 'too_many_tasks', 'invalid_request'],
  },
  discardQueue: {
    ...internalRoute('POST', '/internal/dead-letter-queues/{queue}/discard', 'payctl'),
    summary: 'Discard dead letters with a task; discard quarantined messages at once.',
    params: queueParams,
    body: z.strictObject({ ...inQueue, reason }).refine(hasIdsOrFilter, idsOrFilterMessage),
    replies: { 200: counted, 202: taskAccepted },
    problems: ['queue_not_found', 'too_many_tasks', 'invalid_request'],
  },
  groupDeadLetters: {
    ...internalRoute('GET', '/internal/dead-letters/groups', 'payctl'),
    summary: 'Count the dead letters of every tenant, or of one, by cause, subscription or event type.',
    query: positionedPageQuery(50).extend({
      ...filterQuery,
      tenant_id: id.optional(),
      group_by: grouping.default('cause'),
    }),
    replies: { 200: inspectedGroups },
  },
  inspectDeadLetter: {
    ...internalRoute('GET', '/internal/dead-letters/{dead_letter_id}', 'payctl'),
    summary: 'Read a dead letter of any tenant.',
    params: letterParams,
    replies: { 200: inspectedDeadLetter },
    problems: ['dead_letter_not_found'],
  },
  inspectTasks: {
    ...internalRoute('GET', '/internal/tasks', 'payctl'),
    summary: 'List the tasks of operators and tenants.',
    query: pageQuery,
    replies: { 200: page(inspectedTask) },
  },
  inspectTask: {
    ...internalRoute('GET', '/internal/tasks/{task_id}', 'payctl'),
    summary: 'Read the progress of a task.',
    params: taskParams,
    replies: { 200: inspectedTask },
    problems: ['task_not_found'],
  },
  cancelTask: {
    ...internalRoute('POST', '/internal/tasks/{task_id}/cancel', 'payctl'),
    summary: 'Cancel a running task of any tenant or operator. The changes that it has made remain.',
    params: taskParams,
    body: z.strictObject({ operator }),
    replies: { 200: inspectedTask },
    problems: ['task_not_found', 'task_finished'],
  },
} as const satisfies Record<string, Endpoint<Code | 'invalid_request'>>
