import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, toPage } from '@payments/contracts/grammar/page'
import type { ListedSubscription, SubscriptionListQuery } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { presentListedSubscription } from '../domain/subscription.ts'
import { withHealth } from '../store/subscription-health.ts'
import * as subscriptions from '../store/subscriptions.ts'

/** The subscriptions of every business unit, or of one. */
export async function listTenantSubscriptions(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string | undefined,
  { cursor, ...query }: SubscriptionListQuery,
): Promise<Page<ListedSubscription>> {
  const page = { before: idBefore(cursor), limit: query.limit }
  const rows = await deps.db.inTenant(tenantId, async (tx) =>
    withHealth(tx, tenantId, await subscriptions.listOfTenant(tx, tenantId, businessUnitId, page), query),
  )
  return toPage(rows, query.limit, presentListedSubscription)
}
