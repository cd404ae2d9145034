import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { countChange } from '../store/changes.ts'
import { insertSubscriptionDiscard } from '../store/subscription/subscription-discards.ts'
import { removeSubscription } from '../store/subscription/subscriptions.ts'

/**
 * No attempt follows. The dispatcher discards the undelivered deliveries, dead ones included, in batches.
 * Throws subscription_not_found.
 */
export async function deleteSubscription(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<undefined> {
  const { tenantId } = caller
  await deps.db.inTenant(tenantId, async (tx) => {
    const removed = await removeSubscription(tx, tenantId, businessUnitId, subscriptionId)
    if (!removed) throw new Problem(problems.subscription_not_found)
    await insertSubscriptionDiscard(tx, tenantId, subscriptionId)
    await countChange(tx, tenantId, 'subscriptions')
  })
}
