import { type SubscriptionDisabled, webhooks } from '@payments/contracts/services/webhooks/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { SubscriptionModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/**
 * Disables a subscription because of a response of its destination, and emits the event, in one transaction. False when
 * the subscription is already disabled or deleted: of ten calls at once, one emits the event.
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
