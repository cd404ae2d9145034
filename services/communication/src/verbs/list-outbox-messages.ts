import type { Caller } from '@payments/chassis/base/caller'
import { encodeCursor, idBefore, type Page, type PageQuery, pageOfPart } from '@payments/contracts/grammar/page'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { OutboxMessage } from '@payments/contracts/services/communication/contract'
import type { Deps } from '../deps.ts'
import { presentOutboxMessage } from '../domain/communication.ts'
import { listOutbox } from '../store/outbox-messages.ts'

interface OutboxQuery extends PageQuery {
  readonly recipient?: string | undefined
}

/** Throws route_not_found outside of development. */
export async function listOutboxMessages(
  deps: Deps,
  { tenantId }: Caller,
  { cursor, limit, recipient }: OutboxQuery,
): Promise<Page<OutboxMessage>> {
  if (!deps.showsOutbox) throw new Problem(commonProblems.route_not_found)
  const before = idBefore(cursor)
  const part = await deps.db.inTenant(tenantId, (tx) => listOutbox(tx, tenantId, { before, limit, recipient }))
  return pageOfPart(part, encodeCursor, presentOutboxMessage)
}
