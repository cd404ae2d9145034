import type { CallerWith } from '@payments/chassis/base/caller'
import { missingPayloadPermission } from '@payments/contracts/edges/payload-permissions'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { DeliveryWithAttempts } from '@payments/contracts/services/webhooks/delivery'
import type { PayloadPermission } from '@payments/contracts/services/webhooks/payload'
import type { Deps } from '../deps.ts'
import { presentDeliveryWithAttempts } from '../domain/delivery.ts'
import { listLatestAttempts, readBody } from '../store/deliveries.ts'
import { findDelivery } from '../store/delivery-rows.ts'

/** Throws delivery_not_found. */
export function readDelivery(
  deps: Deps,
  caller: CallerWith<PayloadPermission>,
  businessUnitId: string,
  deliveryId: string,
): Promise<DeliveryWithAttempts> {
  const { tenantId, permissions } = caller
  return deps.db.readInTenant(tenantId, async (tx) => {
    const delivery = await findDelivery(tx, tenantId, businessUnitId, deliveryId)
    if (delivery === null) throw new Problem(problems.delivery_not_found)
    const attempts = await listLatestAttempts(tx, tenantId, deliveryId)
    const body = await readBody(tx, tenantId, deliveryId)
    const missing = missingPayloadPermission(delivery.eventType, permissions)
    return presentDeliveryWithAttempts(delivery, body, attempts, missing)
  })
}
