import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { countMax, type SubscriptionHealth } from '@payments/contracts/services/webhooks/health'
import type { Deps } from '../deps.ts'
import { presentHealth } from '../domain/subscription-health.ts'
import { listHealth } from '../store/subscription-health.ts'
import { findSubscription } from '../store/subscriptions.ts'

/** Throws subscription_not_found. */
export function readSubscriptionHealth(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<SubscriptionHealth> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    const subscription = await findSubscription(tx, tenantId, businessUnitId, subscriptionId)
    const [health] = subscription === null ? [] : await listHealth(tx, tenantId, [subscriptionId], countMax)
    if (health === undefined) throw new Problem(problems.subscription_not_found)
    return presentHealth(health, countMax)
  })
}
