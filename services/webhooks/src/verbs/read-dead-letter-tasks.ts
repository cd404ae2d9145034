import { encodeCursor, idBefore, type Page, type PageQuery, pageOfPart } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { InspectedTask, TaskKind } from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { presentTask } from '../domain/dead-letter/task.ts'
import { inScope } from '../store/database.ts'
import { findTask, listTasks } from '../store/dead-letter/tasks.ts'

/** `tenantId` null: tasks of all tenants. */
export async function listDeadLetterTasks(
  deps: Deps,
  tenantId: string | null,
  { cursor, limit }: PageQuery,
): Promise<Page<InspectedTask>> {
  const before = idBefore(cursor)
  const part = await inScope(deps.db, tenantId, (tx) => listTasks(tx, tenantId, { before, limit }))
  return pageOfPart(part, encodeCursor, presentTask)
}

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
