import type { Caller } from '@payments/chassis/caller'
import { Problem } from '@payments/contracts/problem'
import { problems, type Subscription } from '@payments/contracts/webhooks'
import type { Deps } from '../api/deps.ts'
import { presentSubscription } from '../domain/subscription.ts'
import { checkSubscription, type SubscriptionInput, unknownAuthInfo } from '../domain/subscription-input.ts'
import { lockAuthInfo } from '../store/auth-infos.ts'
import { updateSubscription as updateSubscriptionOf } from '../store/subscriptions.ts'

export interface Change extends SubscriptionInput {
  readonly destination_url?: string | undefined
  readonly label?: string | null | undefined
  readonly webhook_auth_info_id?: string | null | undefined
  readonly enabled?: boolean | undefined
}

/** Throws subscription_not_found, destination_not_allowed, unknown_event_type, unknown_auth_info. */
export async function updateSubscription(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
  change: Change,
): Promise<Subscription> {
  const { tenantId } = caller
  const { destination_url: destinationUrl, webhook_auth_info_id: webhookAuthInfoId } = change
  const refusal = destinationUrl === undefined ? undefined : await deps.destinations.refusalOf(destinationUrl)
  checkSubscription(change, refusal)
  const row = await deps.db.inTenant(tenantId, async (tx) => {
    if (webhookAuthInfoId != null && (await lockAuthInfo(tx, tenantId, webhookAuthInfoId, 'share')) === null) {
      throw unknownAuthInfo()
    }
    return updateSubscriptionOf(tx, tenantId, businessUnitId, subscriptionId, {
      ...(destinationUrl === undefined ? {} : { destinationUrl }),
      ...(change.label === undefined ? {} : { label: change.label }),
      ...(change.event_types === undefined ? {} : { eventTypes: [...(change.event_types ?? [])] }),
      ...(webhookAuthInfoId === undefined ? {} : { webhookAuthInfoId }),
      ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
    })
  })
  if (row === undefined) throw new Problem(problems.subscription_not_found)
  return presentSubscription(row)
}
