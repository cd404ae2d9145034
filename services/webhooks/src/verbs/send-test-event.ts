import type { Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, webhooks } from '@payments/contracts/services/webhooks/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { testEventType } from '../domain/event/event-type.ts'
import { lockSubscription } from '../store/subscription/subscriptions.ts'

/**
 * The test event takes the path of every event: outbox, exchange, fan-out, delivery, retries. Its first attempt is made
 * also while the subscription is disabled or the breaker open (dispatch/create-deliveries.ts). Throws
 * subscription_not_found.
 */
export async function sendTestEvent(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<{ tenant_event_id: string }> {
  const { tenantId, traceId } = caller
  const payload = { subscription_id: subscriptionId, message: 'A test event, requested through the API.' }
  const emission = { type: testEventType, tenantId, businessUnitId, traceId, payload } as const
  return once(deps.db, caller, async (tx) => {
    const subscription = await lockSubscription(tx, tenantId, businessUnitId, subscriptionId)
    if (subscription === null) throw new Problem(problems.subscription_not_found)
    return { tenant_event_id: await emit(tx, webhooks.events, emission) }
  })
}
