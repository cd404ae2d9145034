import { encodeCursor, idBefore, type Page, type PageQuery, pageOfPart } from '@payments/contracts/grammar/page'
import type { InspectedTask } from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { presentTask } from '../domain/task.ts'
import { inScope } from '../store/database.ts'
import { listTasks } from '../store/tasks.ts'

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
