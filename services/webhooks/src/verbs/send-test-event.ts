import type { Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, webhooks } from '@payments/contracts/services/webhooks/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { lockSubscription } from '../store/subscriptions.ts'

/**
 * The test event takes the path of every event: outbox, exchange, fan-out, delivery, retries. Throws
 * subscription_not_found, subscription_disabled.
 */
export function sendTestEvent(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<{ tenant_event_id: string }> {
  const { tenantId, traceId } = caller
  return once(deps.db, caller, async (tx) => {
    const subscription = await lockSubscription(tx, tenantId, businessUnitId, subscriptionId)
    if (subscription === null) throw new Problem(problems.subscription_not_found)
    if (!subscription.enabled) throw new Problem(problems.subscription_disabled)
    const payload = { subscription_id: subscriptionId, message: 'A test event, requested through the API.' }
    const id = await emit(tx, webhooks.events, { type: 'webhooks.test', tenantId, businessUnitId, traceId, payload })
    return { tenant_event_id: id }
  })
}
