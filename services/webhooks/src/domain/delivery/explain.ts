import type { Permission } from '@payments/contracts/grammar/permission'
import type { DeliveryStatus, ExplainedOutcome, Explanation } from '@payments/contracts/services/webhooks/delivery'
import { testEventType } from '../event/event-type.ts'
import { type Holding, holdingReason } from '../subscription/subscription-health.ts'

export interface ExplainedEvent {
  readonly tenantEventId: string
  readonly type: string
  readonly traceId: string
  readonly occurredAt: Date
  /** JSON text. */
  readonly payload: string
}

/** A subscription of the business unit in its current state, with its delivery of the event. */
export interface ExplainedSubscription extends Holding {
  readonly id: string
  /** Those of the last attempt, or of the subscription. */
  readonly destinationUrl: string
  readonly label: string | null
  readonly createdAt: Date
  readonly deletedAt: Date | null
  /** Whether `event_types` matches the event. */
  readonly matches: boolean
  readonly delivery: ExplainedDelivery | null
  /** Whether fan-out of the event has not reached the subscription yet. */
  readonly awaitsFanOut: boolean
}

interface ExplainedDelivery {
  readonly id: string
  readonly status: DeliveryStatus
  /** Such a delivery keeps its status when the subscription is disabled. */
  readonly backlogged: boolean
  readonly attemptCount: number
  readonly nextAttemptAt: Date | null
  readonly lastError: string | null
  readonly updatedAt: Date
  readonly deadAt: Date | null
  readonly discardedBy: string | null
  readonly discardReason: string | null
}

export function explain(
  event: ExplainedEvent,
  subscriptions: readonly ExplainedSubscription[],
  missingPermission: Permission | null,
): Explanation {
  return {
    tenant_event_id: event.tenantEventId,
    event_type: event.type,
    source_trace_id: event.traceId,
    occurred_at: event.occurredAt.toISOString(),
    payload: missingPermission === null ? (JSON.parse(event.payload) as Record<string, unknown>) : null,
    missing_permission: missingPermission,
    subscriptions: subscriptions.map((subscription) => ({
      subscription_id: subscription.id,
      ...(subscription.delivery === null
        ? explainNoDelivery(event, subscription)
        : explainDelivery(subscription.delivery, subscription)),
      delivery_id: subscription.delivery?.id ?? null,
      destination_url: subscription.destinationUrl,
      label: subscription.label,
    })),
  }
}

function explainNoDelivery(
  event: ExplainedEvent,
  subscription: ExplainedSubscription,
): { outcome: ExplainedOutcome; reason: string } {
  const { createdAt, deletedAt, matches, awaitsFanOut } = subscription
  if (awaitsFanOut && matches && event.type !== testEventType && deletedAt === null && createdAt <= event.occurredAt) {
    return { outcome: 'pending', reason: 'The delivery will be created: the event has many subscriptions' }
  }
  return { outcome: 'not_matched', reason: reasonForNoDelivery(event, subscription) }
}

function reasonForNoDelivery({ type, occurredAt }: ExplainedEvent, subscription: ExplainedSubscription): string {
  if (subscription.createdAt > occurredAt) {
    return `The subscription was created after the event, at ${at(subscription.createdAt)}`
  }
  if (subscription.deletedAt !== null) return `The subscription was deleted at ${at(subscription.deletedAt)}`
  if (type === testEventType) return 'Only the subscription that a test names receives it'
  if (!subscription.matches) return `The event_types of the subscription do not match ${type}`
  const since = `The event_types of the subscription match ${type} only since a later change`
  return `${since}. To send the event, recover the subscription with include_unmatched`
}

function explainDelivery(
  delivery: ExplainedDelivery,
  subscription: ExplainedSubscription,
): { outcome: ExplainedOutcome; reason: string } {
  const { status, attemptCount, lastError } = delivery
  const diedAt = at(delivery.deadAt ?? delivery.updatedAt)
  const failed = lastError === null ? '' : `. Attempt ${attemptCount} failed: ${lastError}`
  switch (status) {
    case 'delivered':
      return { outcome: status, reason: `The receiver accepted attempt ${attemptCount} at ${at(delivery.updatedAt)}` }
    case 'delivering':
      return { outcome: 'pending', reason: `Attempt ${attemptCount + 1} is in progress${failed}` }
    case 'pending':
    case 'retrying': {
      const holding = delivery.backlogged ? holdingReason(subscription) : undefined
      return holding === undefined
        ? { outcome: status, reason: `${reasonForWaiting(delivery)}${failed}` }
        : { outcome: 'held', reason: `${holding}${failed}` }
    }
    case 'held':
      return { outcome: status, reason: `${reasonForHolding(subscription)}${failed}` }
    case 'dead':
      return {
        outcome: status,
        reason: `The last of ${attemptCount} attempts failed at ${diedAt}: ${lastError ?? 'unknown'}`,
      }
    case 'discarded':
      return { outcome: status, reason: reasonForDiscarding(delivery, subscription) }
  }
}

function reasonForWaiting({ nextAttemptAt, attemptCount }: ExplainedDelivery): string {
  return nextAttemptAt === null
    ? 'The delivery is about to be attempted'
    : `Attempt ${attemptCount + 1} is due at ${at(nextAttemptAt)}, or when the destination has capacity after that`
}

function reasonForHolding(subscription: ExplainedSubscription): string {
  return (
    holdingReason(subscription) ??
    'The destination is available again. Held deliveries are being sent in the order of their events'
  )
}

function reasonForDiscarding(
  { discardedBy, discardReason }: ExplainedDelivery,
  { deletedAt }: ExplainedSubscription,
): string {
  if (discardedBy !== null) return `Discarded by ${discardedBy}. Reason: ${discardReason ?? 'none was given'}`
  return deletedAt === null ? 'The delivery was discarded' : `The subscription was deleted at ${at(deletedAt)}`
}

const at = (instant: Date) => instant.toISOString()
