import { actorName, type Caller } from '@payments/chassis/caller'
import { once } from '@payments/chassis/idempotency'
import type { Deps } from '../api/deps.ts'
import type { DeadLetterOrder } from '../domain/dead-letter.ts'
import { presentAccepted } from '../domain/task.ts'
import { beginDeadLetterTask } from '../store/tasks.ts'

/** Gives a tenant's dead letters up for good: begins a task for the dispatcher (tasks.ts), or only counts. Throws too_many_tasks. */
export function discardDeadLetters(deps: Deps, caller: Caller, order: DeadLetterOrder) {
  const by = actorName(caller.actor)
  return once(deps.db, caller, async (tx) =>
    presentAccepted(await beginDeadLetterTask(tx, caller.tenantId, 'discard', order, by)),
  )
}
