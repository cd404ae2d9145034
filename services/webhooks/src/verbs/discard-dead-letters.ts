import { actorName, type Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import type { DeadLetterTaskRequest } from '../domain/dead-letter.ts'
import { presentAccepted } from '../domain/task.ts'
import { startDeadLetterTask } from '../store/tasks.ts'

/**
 * Discards dead letters of the tenant by a task (dispatch/task-runner.ts). A dry run only counts. Throws
 * too_many_tasks.
 */
export function discardDeadLetters(deps: Deps, caller: Caller, request: DeadLetterTaskRequest) {
  const by = actorName(caller.actor)
  return once(deps.db, caller, async (tx) =>
    presentAccepted(await startDeadLetterTask(tx, caller.tenantId, 'discard', request, by)),
  )
}
