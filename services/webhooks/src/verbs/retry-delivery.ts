import type { Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { Delivery } from '@payments/contracts/services/webhooks/delivery'
import type { Deps } from '../deps.ts'
import { presentDelivery } from '../domain/delivery/delivery.ts'
import { findDelivery, lockDelivery } from '../store/delivery/delivery-rows.ts'
import { restartDeliveries } from '../store/delivery/delivery-state.ts'
import { shareLockSubscription } from '../store/subscription/subscriptions.ts'

/**
 * Restarts the schedule of a delivery, regardless of its outcome: a receiver may have lost a delivered one. A dead
 * delivery is no longer dead; the reconciliation removes its message. Throws delivery_not_found, delivery_in_progress,
 * subscription_deleted, subscription_disabled.
 */
export function retryDelivery(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  deliveryId: string,
): Promise<Delivery> {
  const { tenantId } = caller
  return once(deps.db, caller, async (tx) => {
    const found = await findDelivery(tx, tenantId, businessUnitId, deliveryId)
    if (found === null) throw new Problem(problems.delivery_not_found)
    const state = await shareLockSubscription(tx, tenantId, found.subscriptionId)
    if (state === 'deleted') throw new Problem(problems.subscription_deleted)
    if (state === 'disabled') throw new Problem(problems.subscription_disabled)
    const delivery = await lockDelivery(tx, tenantId, businessUnitId, deliveryId)
    if (delivery?.status === 'pending' || delivery?.status === 'delivering') {
      throw new Problem(problems.delivery_in_progress)
    }
    await restartDeliveries(tx, tenantId, [deliveryId], null)
    const restarted = await findDelivery(tx, tenantId, businessUnitId, deliveryId)
    if (restarted === null) throw new Problem(problems.delivery_not_found)
    return presentDelivery(restarted)
  })
}
