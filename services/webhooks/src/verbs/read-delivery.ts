import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { DeliveryWithAttempts } from '@payments/contracts/services/webhooks/delivery'
import type { Deps } from '../deps.ts'
import { presentDeliveryWithAttempts } from '../domain/delivery.ts'
import { bodyOf, findDelivery, listLatestAttempts } from '../store/deliveries.ts'

/** Throws delivery_not_found. */
export function readDelivery(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  deliveryId: string,
): Promise<DeliveryWithAttempts> {
  const { tenantId } = caller
  return deps.db.readInTenant(tenantId, async (tx) => {
    const delivery = await findDelivery(tx, tenantId, businessUnitId, deliveryId)
    if (delivery === null) throw new Problem(problems.delivery_not_found)
    const attempts = await listLatestAttempts(tx, tenantId, deliveryId)
    const body = await bodyOf(tx, tenantId, deliveryId)
    return presentDeliveryWithAttempts(delivery, body, attempts)
  })
}
