import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { InspectedTask, TaskKind } from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { presentTask } from '../domain/task.ts'
import { inScope } from '../store/database.ts'
import { findTask } from '../store/tasks.ts'

/** `tenantId` null: a task of any tenant. `kind` undefined: of any kind. Throws task_not_found. */
export async function readDeadLetterTask(
  deps: Deps,
  tenantId: string | null,
  id: string,
  kind?: TaskKind,
): Promise<InspectedTask> {
  const task = await inScope(deps.db, tenantId, (tx) => findTask(tx, tenantId, id, kind))
  if (task === null) throw new Problem(problems.task_not_found)
  return presentTask(task)
}
