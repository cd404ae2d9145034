import type { Caller } from '@payments/chassis/base/caller'
import { encodeCursor, idBefore, type Page, type PageQuery, pageOfPart } from '@payments/contracts/grammar/page'
import type { Code } from '@payments/contracts/services/invite-to-pay/contract'
import type { Deps } from '../deps.ts'
import { type CodeFacts, presentSnapshot } from '../domain/code.ts'
import { list } from '../store/codes.ts'

interface CodesQuery extends PageQuery {
  readonly business_unit_id?: string | undefined
  readonly transaction_id?: string | undefined
  readonly recipient?: string | undefined
  readonly status?: CodeFacts['status'] | undefined
}

export async function listCodes(
  { db }: Pick<Deps, 'db'>,
  { tenantId }: Caller,
  { cursor, limit, ...query }: CodesQuery,
): Promise<Page<Code>> {
  const before = idBefore(cursor)
  const filters = {
    ...(query.business_unit_id === undefined ? {} : { businessUnitId: query.business_unit_id }),
    ...(query.transaction_id === undefined ? {} : { transactionId: query.transaction_id }),
    ...(query.recipient === undefined ? {} : { recipient: query.recipient }),
    ...(query.status === undefined ? {} : { status: query.status }),
  }
  const part = await db.inTenant(tenantId, (tx) => list(tx, tenantId, { before, limit, filters }))
  return pageOfPart(part, encodeCursor, presentSnapshot)
}
