import type { Caller } from '@payments/chassis/caller'
import { Problem } from '@payments/contracts/problem'
import { problems, type Subscription } from '@payments/contracts/webhooks'
import type { Deps } from '../deps.ts'
import { presentSubscription } from '../domain/subscription.ts'
import { checkSubscription, type SubscriptionInput } from '../domain/subscription-input.ts'
import { updateSubscription as updateSubscriptionOf } from '../store/subscriptions.ts'

export interface Change extends SubscriptionInput {
  readonly label?: string | null | undefined
}

/** Throws subscription_not_found, destination_not_allowed, unknown_event_type, unknown_auth_info. */
export async function updateSubscription(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
  change: Change,
): Promise<Subscription> {
  checkSubscription(change, deps.destinations)
  const { tenantId } = caller
  const row = await deps.db.inTenant(tenantId, (tx) =>
    updateSubscriptionOf(tx, tenantId, businessUnitId, subscriptionId, {
      ...(change.destination_url === undefined ? {} : { destinationUrl: change.destination_url }),
      ...(change.label === undefined ? {} : { label: change.label }),
      ...(change.event_types === undefined ? {} : { eventTypes: [...(change.event_types ?? [])] }),
    }),
  )
  if (row === undefined) throw new Problem(problems.subscription_not_found)
  return presentSubscription(row)
}
