import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { InspectedTask } from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { presentTask } from '../domain/task.ts'
import { inScope } from '../store/database.ts'
import { cancelRunningTask, findTask } from '../store/tasks.ts'

/**
 * Waits for the batch in progress; no further batch starts. A repeated call returns the same task. `tenantId` null: a
 * task of any tenant. Throws task_not_found, task_finished.
 */
export function cancelDeadLetterTask(
  deps: Deps,
  tenantId: string | null,
  id: string,
  by: string,
): Promise<InspectedTask> {
  return inScope(deps.db, tenantId, async (tx) => {
    const canceled = await cancelRunningTask(tx, tenantId, id)
    const task = await findTask(tx, tenantId, id)
    if (task === null) throw new Problem(problems.task_not_found)
    if (task.status !== 'canceled') throw new Problem(problems.task_finished)
    if (canceled) deps.log.info({ actor: by, task_id: id, done: task.done }, 'task canceled')
    return presentTask(task)
  })
}
