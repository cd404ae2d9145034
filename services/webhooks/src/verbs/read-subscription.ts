import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Subscription } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { presentSubscription } from '../domain/subscription.ts'
import { findSubscription } from '../store/subscriptions.ts'

/** Throws subscription_not_found. */
export async function readSubscription(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<Subscription> {
  const { tenantId } = caller
  const row = await deps.db.readInTenant(tenantId, (tx) =>
    findSubscription(tx, tenantId, businessUnitId, subscriptionId),
  )
  if (row === null) throw new Problem(problems.subscription_not_found)
  return presentSubscription(row)
}
