import { actorName, type Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import type { DeadLetterTaskRequest } from '../domain/dead-letter/dead-letter.ts'
import { presentAccepted } from '../domain/dead-letter/task.ts'
import { requestTask } from '../store/dead-letter/tasks.ts'

/**
 * Restarts or discards dead letters of the tenant by a task (dispatch/task-runner.ts). A dry run only counts. Throws
 * too_many_tasks.
 */
export function startDeadLetterTask(
  deps: Deps,
  caller: Caller,
  kind: 'redrive' | 'discard',
  request: DeadLetterTaskRequest,
) {
  const by = actorName(caller.actor)
  return once(deps.db, caller, async (tx) => presentAccepted(await requestTask(tx, caller.tenantId, kind, request, by)))
}
