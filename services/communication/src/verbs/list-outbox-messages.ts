import type { Caller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { encodeCursor, idBefore, type Page, pageOfPart } from '@payments/contracts/grammar/page'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { communicationContract, OutboxMessage } from '@payments/contracts/services/communication/contract'
import type { Deps } from '../deps.ts'
import { presentOutboxMessage } from '../domain/communication.ts'
import { listOutbox } from '../store/outbox-messages.ts'

type OutboxQuery = RequestOf<typeof communicationContract.endpoints.listOutboxMessages>['query']

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
