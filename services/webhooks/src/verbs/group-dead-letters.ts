import type { DeadLetterGrouping, DeadLetterGroups } from '@payments/contracts/webhooks-dead-letters'
import type { Deps } from '../api/deps.ts'
import type { Selection } from '../domain/dead-letter.ts'
import { inScope } from '../store/database.ts'
import { groupDeadLetters as groupDeadLettersOf } from '../store/dead-letters.ts'

/** The largest groups first. `tenantId` null: every tenant's. */
export async function groupDeadLetters(
  deps: Deps,
  tenantId: string | null,
  selection: Selection,
  sought: { by: DeadLetterGrouping; limit: number },
): Promise<DeadLetterGroups> {
  const groups = await inScope(deps.db, tenantId, (tx) => groupDeadLettersOf(tx, tenantId, selection, sought))
  const data = groups.map(({ key, count, oldestAt, newestAt }) => ({
    key,
    count,
    oldest_at: oldestAt.toISOString(),
    newest_at: newestAt.toISOString(),
  }))
  return { data }
}
