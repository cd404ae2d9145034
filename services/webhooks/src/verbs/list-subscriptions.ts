import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, toPage } from '@payments/contracts/grammar/page'
import type { ListedSubscription, SubscriptionListQuery } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { presentListedSubscription } from '../domain/subscription.ts'
import { withHealth } from '../store/subscription-health.ts'
import * as subscriptions from '../store/subscriptions.ts'

export async function listSubscriptions(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  { cursor, ...query }: SubscriptionListQuery,
): Promise<Page<ListedSubscription>> {
  const page = { before: idBefore(cursor), limit: query.limit }
  const rows = await deps.db.readInTenant(tenantId, async (tx) =>
    withHealth(tx, tenantId, await subscriptions.list(tx, tenantId, businessUnitId, page), query),
  )
  return toPage(rows, query.limit, presentListedSubscription)
}
