import type { Caller } from '@payments/chassis/caller'
import { once } from '@payments/chassis/idempotency'
import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import type { Delivery } from '@payments/contracts/webhooks-delivery'
import type { Deps } from '../api/deps.ts'
import { presentDelivery } from '../domain/delivery.ts'
import { findDelivery, lockDelivery } from '../store/deliveries.ts'
import { restartDeliveries } from '../store/delivery-state.ts'
import { holdSubscription } from '../store/subscriptions.ts'

/**
 * Sends a delivery again, whatever came of it: a delivered one may have been lost behind its receiver. The row of a dead one
 * is dead no more; the reconciliation takes its message away.
 * Throws delivery_not_found, delivery_in_progress, subscription_deleted, subscription_disabled.
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
    const state = await holdSubscription(tx, tenantId, found.subscriptionId)
    if (state === 'deleted') throw new Problem(problems.subscription_deleted)
    if (state === 'disabled') throw new Problem(problems.subscription_disabled)
    const delivery = await lockDelivery(tx, tenantId, businessUnitId, deliveryId)
    if (delivery?.status === 'pending' || delivery?.status === 'delivering') {
      throw new Problem(problems.delivery_in_progress)
    }
    await restartDeliveries(tx, tenantId, [deliveryId])
    const revived = await findDelivery(tx, tenantId, businessUnitId, deliveryId)
    if (revived === null) throw new Problem(problems.delivery_not_found)
    return presentDelivery(revived)
  })
}
