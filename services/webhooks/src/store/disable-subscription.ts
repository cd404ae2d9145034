import { type SubscriptionDisabled, webhooks } from '@payments/contracts/webhooks'
import { emit } from '@payments/messaging/outbox'
import type { SubscriptionModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/**
 * Disables a subscription for what its destination answered, and tells the tenant, in one transaction. False where there is
 * nothing to disable: it is disabled, or deleted, already. Of ten at once one tells.
 */
export async function disableSubscription(
  tx: Tx,
  tenantId: string,
  subscriptionId: string,
  { reason, traceId }: { reason: SubscriptionDisabled['reason']; traceId: string },
): Promise<boolean> {
  const [row]: SubscriptionModel[] = await tx.subscription.updateManyAndReturn({
    where: { tenantId, id: subscriptionId, enabled: true, deletedAt: null },
    data: { enabled: false },
  })
  if (row === undefined) return false
  const { id, businessUnitId, destinationUrl: destination_url, label } = row
  const payload = { id, destination_url, label, reason, updated_at: row.updatedAt.toISOString() }
  const type = 'webhooks.subscriptions.disabled'
  await emit(tx, webhooks.events, { type, tenantId, businessUnitId, traceId, payload })
  return true
}
