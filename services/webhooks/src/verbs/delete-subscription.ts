import type { Caller } from '@payments/chassis/caller'
import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import type { Deps } from '../api/deps.ts'
import { discardDeliveriesOf } from '../store/delivery-state.ts'
import { removeSubscription } from '../store/subscriptions.ts'

/** Discards all undelivered deliveries, dead ones included. Throws subscription_not_found. */
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
    await discardDeliveriesOf(tx, tenantId, subscriptionId)
  })
}
