import { actorName } from '@payments/chassis/base/caller'
import type { Handlers } from '@payments/chassis/request/router'
import type { webhooks } from '@payments/contracts/services/webhooks/contract'
import type {
  deadLetterEndpoints,
  deadLetterOperatorEndpoints,
} from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { operatorName, toQueueTaskRequest, toSelection, toTaskRequest } from '../domain/dead-letter/dead-letter.ts'
import { cancelDeadLetterTask } from '../verbs/cancel-dead-letter-task.ts'
import { listDeadLetters } from '../verbs/list-dead-letters.ts'
import { listDeadLetterTasks, readDeadLetterTask } from '../verbs/read-dead-letter-tasks.ts'
import { groupDeadLetters, inspectDeadLetter, readDeadLetter } from '../verbs/read-dead-letters.ts'
import { listDeadLetterQueues, peekQueue } from '../verbs/read-queues.ts'
import { startDeadLetterTask } from '../verbs/start-dead-letter-task.ts'
import { startQueueTask } from '../verbs/start-queue-task.ts'

type Operations = keyof typeof deadLetterEndpoints | keyof typeof deadLetterOperatorEndpoints

/** The routes of dead letters. An operator has no tenant. */
export const deadLetterRoutes = (deps: Deps): Pick<Handlers<typeof webhooks>, Operations> => ({
  listDeadLetters: (caller, { query: { limit, cursor, group_by: by, ...filter } }) =>
    by === undefined
      ? listDeadLetters(deps, caller, toSelection({ filter }, '/query'), { limit, cursor })
      : groupDeadLetters(deps, caller.tenantId, toSelection({ filter }, '/query'), { by, limit, cursor }),
  readDeadLetter: (caller, { params }) => readDeadLetter(deps, caller, params.dead_letter_id),
  redriveDeadLetters: (caller, { body }) => startDeadLetterTask(deps, caller, 'redrive', toTaskRequest(body)),
  discardDeadLetters: (caller, { body }) => startDeadLetterTask(deps, caller, 'discard', toTaskRequest(body)),
  listDeadLetterTasks: ({ tenantId }, { query }) => listDeadLetterTasks(deps, tenantId, query),
  readDeadLetterTask: ({ tenantId }, { params }) => readDeadLetterTask(deps, tenantId, params.task_id),
  cancelDeadLetterTask: ({ tenantId, actor, permissions }, { params }) =>
    cancelDeadLetterTask(deps, { tenantId, id: params.task_id, by: actorName(actor), permissions }),
  readRecovery: ({ tenantId }, { params }) => readDeadLetterTask(deps, tenantId, params.recovery_id, 'recover'),
  cancelRecovery: ({ tenantId, actor }, { params }) =>
    cancelDeadLetterTask(deps, {
      tenantId,
      id: params.recovery_id,
      kind: 'recover',
      by: actorName(actor),
      permissions: null,
    }),
  listDeadLetterQueues: (_, { query }) => listDeadLetterQueues(deps, query),
  peekQueue: (_, { params, query }) => peekQueue(deps, params.queue, query),
  redriveQueue: (_, { params, body }) => startQueueTask(deps, 'redrive', params.queue, toQueueTaskRequest(body)),
  discardQueue: (_, { params, body }) => startQueueTask(deps, 'discard', params.queue, toQueueTaskRequest(body)),
  groupDeadLetters: (_, { query: { limit, cursor, group_by: by, ...filter } }) =>
    groupDeadLetters(deps, null, toSelection({ filter }, '/query'), { by, limit, cursor }),
  inspectDeadLetter: (_, { params }) => inspectDeadLetter(deps, null, params.dead_letter_id),
  inspectTasks: (_, { query }) => listDeadLetterTasks(deps, null, query),
  inspectTask: (_, { params }) => readDeadLetterTask(deps, null, params.task_id),
  cancelTask: (_, { params, body }) =>
    cancelDeadLetterTask(deps, {
      tenantId: null,
      id: params.task_id,
      by: operatorName(body.operator),
      permissions: null,
    }),
})
