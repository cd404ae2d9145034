import { type PageQuery, pageAt, positionBehind, positionText } from '@payments/contracts/grammar/page'
import type { DeadLetterGrouping, DeadLetterGroups } from '@payments/contracts/services/webhooks/dead-letters'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { filterOfGroup, type Selection } from '../domain/dead-letter.ts'
import { inScope } from '../store/database.ts'
import * as deadLetters from '../store/dead-letters.ts'

const position = z.tuple([z.int(), positionText])

/**
 * Largest groups first, then by key. `tenantId` null: all tenants. A group whose size changes between two pages may be
 * returned twice or not at all.
 */
export async function groupDeadLetters(
  deps: Deps,
  tenantId: string | null,
  selection: Selection,
  { by, limit, cursor }: PageQuery & { by: DeadLetterGrouping },
): Promise<DeadLetterGroups> {
  const query = { by, limit, after: positionBehind(cursor, position) }
  const groups = await inScope(deps.db, tenantId, (tx) => deadLetters.group(tx, tenantId, selection, query))
  const toPosition = ({ count, key }: deadLetters.DeadLetterGroup) => [count, key]
  return pageAt(groups, limit, toPosition, ({ key, count, oldestAt, newestAt }) => ({
    key,
    count,
    oldest_at: oldestAt.toISOString(),
    newest_at: newestAt.toISOString(),
    filter: filterOfGroup(selection, by, key),
  }))
}
