import type { HeldPermissions } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { InspectedTask, TaskKind } from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { presentTask } from '../domain/dead-letter/task.ts'
import { inScope } from '../store/database.ts'
import { cancelRunningTask, findTask } from '../store/dead-letter/tasks.ts'

interface TaskToCancel {
  /** Null: a task of any tenant. */
  readonly tenantId: string | null
  readonly id: string
  /** Undefined: a task of any kind. */
  readonly kind?: TaskKind
  readonly by: string
  /** Null: the endpoint requires the one that starts the task, or the caller is an operator. */
  readonly permissions: HeldPermissions<StartPermission> | null
}

type StartPermission = 'deadletter:RedriveDeadLetter' | 'deadletter:DiscardDeadLetter' | 'webhook:RetryDelivery'

/** That starts a task of the kind. */
const startPermissions: Readonly<Record<TaskKind, StartPermission>> = {
  redrive: 'deadletter:RedriveDeadLetter',
  discard: 'deadletter:DiscardDeadLetter',
  discard_held: 'deadletter:DiscardDeadLetter',
  recover: 'webhook:RetryDelivery',
}

/**
 * Waits for the batch in progress; no further batch starts. A repeated call returns the same task. Throws
 * task_not_found, task_finished, and permission_denied without the permission that starts such a task.
 */
export function cancelDeadLetterTask(
  deps: Deps,
  { tenantId, id, kind, by, permissions }: TaskToCancel,
): Promise<InspectedTask> {
  return inScope(deps.db, tenantId, async (tx) => {
    const found = await findTask(tx, tenantId, id, kind)
    if (found === null) throw new Problem(problems.task_not_found)
    requireStartPermission(found.kind, permissions)
    const canceled = await cancelRunningTask(tx, tenantId, id)
    const task = await findTask(tx, tenantId, id)
    if (task === null) throw new Problem(problems.task_not_found)
    if (task.status !== 'canceled') throw new Problem(problems.task_finished)
    if (canceled) deps.log.info({ actor: by, task_id: id, done: task.done }, 'task canceled')
    return presentTask(task)
  })
}

function requireStartPermission(kind: TaskKind, permissions: TaskToCancel['permissions']): void {
  const required = startPermissions[kind]
  if (permissions === null || permissions.has(required)) return
  const detail = `The cancellation of a task of the kind ${kind} needs ${required}`
  throw new Problem(commonProblems.permission_denied, { detail })
}
