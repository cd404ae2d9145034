import { z } from 'zod'
import type { Endpoint } from './contract.ts'
import { id, instant, instantInput, text, uuid } from './field.ts'
import { limitMax, page, pageQuery, positionedPageQuery } from './page.ts'
import { defineProblems } from './problem.ts'
import { attempt, errorKinds } from './webhooks-delivery.ts'

/**
 * Dead letters: deliveries that failed to the end of their schedule. A dead letter's id is its delivery's.
 * Tenants see their own below /v1/webhooks/dead-letters, operators everybody's through the internal endpoints.
 */
export const deadLetterProblems = defineProblems({
  dead_letter_not_found: {
    status: 404,
    title: 'There is no such dead letter',
    explanation: 'There is no dead delivery with this id. It may have been redriven or discarded meanwhile.',
  },
  task_not_found: {
    status: 404,
    title: 'There is no such task',
    explanation: 'The tenant has no task with this id.',
  },
  task_finished: {
    status: 409,
    title: 'The task has ended',
    explanation: 'Only a running task can be canceled. What this one has done stays done.',
  },
  too_many_tasks: {
    status: 409,
    title: 'As many tasks are running as may run at once',
    explanation: 'At most 20 tasks of a tenant run at the same time. Wait for one to end, or cancel one.',
  },
  queue_not_found: {
    status: 404,
    title: 'There is no such queue',
    explanation: 'No dead-letter queue has this name.',
  },
})

const filterShape = {
  business_unit_id: id.optional(),
  subscription_id: id.optional(),
  error_kind: z.enum(errorKinds).optional(),
  status_code: z.int().min(100).max(999).optional(),
  event_type: text(200).optional(),
  dead_after: instantInput.optional(),
  dead_before: instantInput.optional(),
}

/** As a query has it: numbers come as text. */
const filterQuery = { ...filterShape, status_code: z.coerce.number().int().min(100).max(999).optional() }

const filter = z.strictObject(filterShape)
export type DeadLetterFilter = z.output<typeof filter>

export const deadLetterGroupings = ['cause', 'subscription', 'event_type'] as const
export type DeadLetterGrouping = (typeof deadLetterGroupings)[number]
const grouping = z.enum(deadLetterGroupings)

const groups = page(
  z.object({
    /** Of a cause: the kind of error of the last attempt, with the status where there was one: `timeout`, `status:500`. */
    key: z.string(),
    count: z.int(),
    oldest_at: instant,
    newest_at: instant,
  }),
)
export type DeadLetterGroups = z.input<typeof groups>

const deadLetterShape = {
  id: uuid,
  business_unit_id: uuid,
  subscription_id: uuid,
  tenant_event_id: uuid,
  event_type: z.string(),
  destination_url: z.string(),
  attempt_count: z.int(),
  /** Of the last attempt. */
  error_kind: z.enum(errorKinds).nullable(),
  status_code: z.int().nullable(),
  last_error: z.string(),
  occurred_at: instant,
  dead_at: instant,
}
const deadLetter = z.object(deadLetterShape)
export type DeadLetter = z.input<typeof deadLetter>

const wholeShape = {
  ...deadLetterShape,
  /** As it was sent at the last attempt; credentials and the signature are masked. */
  request: z.object({
    method: z.literal('POST'),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
  /** To the last attempt; null where none came. */
  response: z.object({ status_code: z.int(), body: z.string().nullable(), truncated: z.boolean() }).nullable(),
  attempts: z.array(attempt),
}
const wholeDeadLetter = z.object(wholeShape)
const inspectedDeadLetter = z.object({ ...wholeShape, tenant_id: uuid })
export type WholeDeadLetter = z.input<typeof inspectedDeadLetter>

export const taskKinds = ['redrive', 'discard', 'recover', 'discard_held'] as const
export type TaskKind = (typeof taskKinds)[number]
export const taskStatuses = ['running', 'done', 'canceled', 'failed'] as const
export type TaskStatus = (typeof taskStatuses)[number]

const taskShape = {
  id: uuid,
  kind: z.enum(taskKinds),
  status: z.enum(taskStatuses),
  /** How many it found when it was asked for. */
  total: z.int(),
  /** How many it has changed: fewer than `total` in the end where others were quicker. */
  done: z.int(),
}
const task = z.object(taskShape)
const inspectedTask = z.object({
  ...taskShape,
  tenant_id: uuid.nullable(),
  reason: z.string().nullable(),
  rate_per_second: z.int().nullable(),
  created_by: z.string(),
  created_at: instant,
  finished_at: instant.nullable(),
})
export type Task = z.input<typeof task>
export type InspectedTask = z.input<typeof inspectedTask>

const pace = {
  dry_run: z.boolean().default(false),
  rate_per_second: z.int().min(1).max(1_000).optional(),
}
export const reason = text(500)

const idsOrFilter = {
  ids: z.array(id).min(1).max(1000).optional(),
  filter: filter.optional().describe('{} is every dead letter'),
}
const isOneOf = (body: { ids?: unknown; filter?: unknown }) => (body.ids === undefined) !== (body.filter === undefined)
const oneOf = 'must give either ids or filter'

const counted = z.object({ count: z.int() })
export const begun = z.object({ task_id: uuid })
const taskParams = z.strictObject({ task_id: id })
const letterParams = z.strictObject({ dead_letter_id: id })

const queueParams = z.strictObject({ queue: text(200) })

/** Whoever acts through the operators' command line; the request itself names only the tool. */
const operator = text(200)
const inQueue = {
  operator,
  ids: z.array(text(255)).min(1).max(1000).optional(),
  filter: filter.extend({ tenant_id: id.optional() }).optional().describe('{} is every message'),
  ...pace,
}

/** In webhooks.dead-letters `id` is the delivery's, and nothing is null. In webhooks.quarantine, what the message shows. */
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

type Code = Extract<keyof typeof deadLetterProblems, string>

export const deadLetterEndpoints = {
  listDeadLetters: {
    method: 'GET',
    path: '/v1/webhooks/dead-letters',
    audience: 'tenant',
    permission: 'deadletter:ReadDeadLetter',
    summary:
      'List dead letters, newest first; or count them by cause, subscription or event type, largest groups first.',
    query: positionedPageQuery(50).extend({ ...filterQuery, group_by: grouping.optional() }),
    replies: { 200: z.union([page(deadLetter), groups]) },
  },
  readDeadLetter: {
    method: 'GET',
    path: '/v1/webhooks/dead-letters/{dead_letter_id}',
    audience: 'tenant',
    permission: 'deadletter:ReadDeadLetter',
    summary: 'Read a dead letter: what was sent, what was answered, every attempt.',
    params: letterParams,
    replies: { 200: wholeDeadLetter },
    problems: ['dead_letter_not_found'],
  },
  redriveDeadLetters: {
    method: 'POST',
    path: '/v1/webhooks/dead-letters/redrive',
    audience: 'tenant',
    permission: 'deadletter:RedriveDeadLetter',
    summary: 'Give dead letters a fresh schedule; `dry_run` only counts them. What is no dead letter is passed over.',
    body: z.strictObject({ ...idsOrFilter, ...pace }).refine(isOneOf, oneOf),
    replies: { 200: counted, 202: begun },
    problems: ['too_many_tasks'],
    idempotent: true,
  },
  discardDeadLetters: {
    method: 'POST',
    path: '/v1/webhooks/dead-letters/discard',
    audience: 'tenant',
    permission: 'deadletter:DiscardDeadLetter',
    summary: 'Give dead letters up for good; `dry_run` only counts them. What is no dead letter is passed over.',
    body: z.strictObject({ ...idsOrFilter, ...pace, reason }).refine(isOneOf, oneOf),
    replies: { 200: counted, 202: begun },
    problems: ['too_many_tasks'],
    idempotent: true,
  },
  listDeadLetterTasks: {
    method: 'GET',
    path: '/v1/webhooks/dead-letters/tasks',
    audience: 'tenant',
    permission: 'deadletter:ReadDeadLetter',
    summary: 'List the tasks that redrive, discard and recover.',
    query: pageQuery,
    replies: { 200: page(task) },
  },
  readDeadLetterTask: {
    method: 'GET',
    path: '/v1/webhooks/dead-letters/tasks/{task_id}',
    audience: 'tenant',
    permission: 'deadletter:ReadDeadLetter',
    summary: 'Read how far a task is.',
    params: taskParams,
    replies: { 200: task },
    problems: ['task_not_found'],
  },
  cancelDeadLetterTask: {
    method: 'POST',
    path: '/v1/webhooks/dead-letters/tasks/{task_id}/cancel',
    audience: 'tenant',
    permission: 'deadletter:RedriveDeadLetter',
    summary: 'Stop a running task. What it has done stays done.',
    params: taskParams,
    replies: { 200: task },
    problems: ['task_not_found', 'task_finished'],
  },
} as const satisfies Record<string, Endpoint<Code | 'invalid_request'>>

/** For payctl: every tenant's. */
export const deadLetterOperatorEndpoints = {
  listDeadLetterQueues: {
    method: 'GET',
    path: '/internal/dead-letter-queues',
    audience: 'internal',
    summary: 'List the dead-letter queues with their depth, by name.',
    query: positionedPageQuery(limitMax),
    replies: { 200: page(z.object({ name: z.string(), depth: z.int(), oldest_at: instant.nullable() })) },
  },
  peekQueue: {
    method: 'GET',
    path: '/internal/dead-letter-queues/{queue}/messages',
    audience: 'internal',
    summary: 'Look at dead letters, oldest first, without taking them.',
    params: queueParams,
    query: positionedPageQuery(50),
    replies: { 200: page(queued) },
    problems: ['queue_not_found'],
  },
  redriveQueue: {
    method: 'POST',
    path: '/internal/dead-letter-queues/{queue}/redrive',
    audience: 'internal',
    summary: 'Redrive dead letters with a task; put quarantined messages back at once.',
    params: queueParams,
    body: z.strictObject(inQueue).refine(isOneOf, oneOf),
    replies: { 200: counted, 202: begun },
    problems: ['queue_not_found', 'too_many_tasks', 'invalid_request'],
  },
  discardQueue: {
    method: 'POST',
    path: '/internal/dead-letter-queues/{queue}/discard',
    audience: 'internal',
    summary: 'Discard dead letters with a task; discard quarantined messages at once.',
    params: queueParams,
    body: z.strictObject({ ...inQueue, reason }).refine(isOneOf, oneOf),
    replies: { 200: counted, 202: begun },
    problems: ['queue_not_found', 'too_many_tasks', 'invalid_request'],
  },
  groupDeadLetters: {
    method: 'GET',
    path: '/internal/dead-letters/groups',
    audience: 'internal',
    summary: 'Count the dead letters of every tenant, or of one, by cause, subscription or event type.',
    query: positionedPageQuery(50).extend({
      ...filterQuery,
      tenant_id: id.optional(),
      group_by: grouping.default('cause'),
    }),
    replies: { 200: groups },
  },
  inspectDeadLetter: {
    method: 'GET',
    path: '/internal/dead-letters/{dead_letter_id}',
    audience: 'internal',
    summary: 'Read a dead letter of any tenant.',
    params: letterParams,
    replies: { 200: inspectedDeadLetter },
    problems: ['dead_letter_not_found'],
  },
  inspectTasks: {
    method: 'GET',
    path: '/internal/tasks',
    audience: 'internal',
    summary: 'List the tasks of operators and tenants.',
    query: pageQuery,
    replies: { 200: page(inspectedTask) },
  },
  inspectTask: {
    method: 'GET',
    path: '/internal/tasks/{task_id}',
    audience: 'internal',
    summary: 'Read how far a task is.',
    params: taskParams,
    replies: { 200: inspectedTask },
    problems: ['task_not_found'],
  },
  cancelTask: {
    method: 'POST',
    path: '/internal/tasks/{task_id}/cancel',
    audience: 'internal',
    summary: 'Stop a running task of anybody. What it has done stays done.',
    params: taskParams,
    body: z.strictObject({ operator }),
    replies: { 200: inspectedTask },
    problems: ['task_not_found', 'task_finished'],
  },
} as const satisfies Record<string, Endpoint<Code | 'invalid_request'>>
