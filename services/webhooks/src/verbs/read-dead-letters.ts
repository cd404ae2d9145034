import type { CallerWith } from '@payments/chassis/base/caller'
import { missingPayloadPermission } from '@payments/contracts/edges/payload-permissions'
import { type PageQuery, pageAt, positionBehind, positionText } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type {
  DeadLetterGrouping,
  DeadLetterGroups,
  InspectedDeadLetter,
  WholeDeadLetter,
} from '@payments/contracts/services/webhooks/dead-letters'
import type { PayloadPermission } from '@payments/contracts/services/webhooks/payload'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { filterOfGroup, presentDeadLetterDetail, type Selection } from '../domain/dead-letter/dead-letter.ts'
import { withoutPayload } from '../domain/delivery/delivery.ts'
import { inScope } from '../store/database.ts'
import * as deadLetters from '../store/dead-letter/dead-letters.ts'
import { listLatestAttempts } from '../store/delivery/deliveries.ts'

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

/** A dead letter with its attempts. `tenantId` null: of any tenant. Throws dead_letter_not_found. */
export function inspectDeadLetter(
  { db }: Pick<Deps, 'db'>,
  tenantId: string | null,
  id: string,
): Promise<InspectedDeadLetter> {
  return inScope(db, tenantId, async (tx) => {
    const letter = await deadLetters.findDeadLetter(tx, tenantId, id)
    if (letter === undefined) throw new Problem(problems.dead_letter_not_found)
    return presentDeadLetterDetail(letter, await listLatestAttempts(tx, letter.tenantId, id))
  })
}

/** As `inspectDeadLetter`, without what the caller may not read of the resource of the event. */
export async function readDeadLetter(
  deps: Deps,
  { tenantId, permissions }: CallerWith<PayloadPermission>,
  id: string,
): Promise<WholeDeadLetter> {
  const { tenant_id: _, ...letter } = await inspectDeadLetter(deps, tenantId, id)
  const missing = missingPayloadPermission(letter.event_type, permissions)
  if (missing === null) return { ...letter, missing_permission: null }
  const response = letter.response === null ? null : { ...letter.response, body: null }
  return { ...withoutPayload(letter), response, missing_permission: missing }
}
