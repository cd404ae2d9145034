import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery } from '@payments/contracts/grammar/page'
import { searchedPage } from '@payments/contracts/grammar/searched-page'
import type { DeadLetter } from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { presentDeadLetter, type Selection } from '../domain/dead-letter/dead-letter.ts'
import * as deadLetters from '../store/dead-letter/dead-letters.ts'

export async function listDeadLetters(
  deps: Deps,
  { tenantId }: Caller,
  selection: Selection,
  { cursor, limit }: PageQuery,
): Promise<Page<DeadLetter>> {
  const before = idBefore(cursor)
  const found = await deps.db.inTenant(tenantId, (tx) => deadLetters.list(tx, tenantId, selection, { before, limit }))
  return searchedPage(found, limit, presentDeadLetter)
}
