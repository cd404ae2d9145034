import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/grammar/page'
import type { Subscription } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { presentSubscription } from '../domain/subscription.ts'
import * as subscriptions from '../store/subscriptions.ts'

export async function listSubscriptions(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  { cursor, limit }: PageQuery,
): Promise<Page<Subscription>> {
  const { tenantId } = caller
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(tenantId, (tx) =>
    subscriptions.list(tx, tenantId, businessUnitId, { before, limit }),
  )
  return pageOf(rows, limit, (row) => presentSubscription(row))
}
