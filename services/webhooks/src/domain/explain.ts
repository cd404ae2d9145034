import type { DeliveryStatus, ExplainedOutcome, Explanation } from '@payments/contracts/webhooks-delivery'

export interface ExplainedEvent {
  readonly tenantEventId: string
  readonly type: string
  readonly occurredAt: Date
}

/** A subscription of the unit as it is now, and the event's delivery to it, if there is one. */
export interface ExplainedSubscription {
  readonly id: string
  readonly enabled: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly deletedAt: Date | null
  /** Its filter lets the event through. */
  readonly matches: boolean
  readonly breaker: 'closed' | 'open' | 'half_open' | null
  readonly openedAt: Date | null
  readonly delivery: ExplainedDelivery | null
}

export interface ExplainedDelivery {
  readonly id: string
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly nextAttemptAt: Date | null
  readonly lastError: string | null
  readonly updatedAt: Date
  readonly deadAt: Date | null
  readonly discardedBy: string | null
  readonly discardReason: string | null
}

export function explain(event: ExplainedEvent, subscriptions: readonly ExplainedSubscription[]): Explanation {
  return {
    tenant_event_id: event.tenantEventId,
    event_type: event.type,
    occurred_at: event.occurredAt.toISOString(),
    subscriptions: subscriptions.map((subscription) => ({
      subscription_id: subscription.id,
      ...(subscription.delivery === null
        ? { outcome: 'not_matched' as const, reason: whyNoDelivery(event, subscription) }
        : whatBecame(subscription.delivery, subscription)),
      delivery_id: subscription.delivery?.id ?? null,
    })),
  }
}

function whyNoDelivery({ type, occurredAt }: ExplainedEvent, subscription: ExplainedSubscription): string {
  if (subscription.createdAt > occurredAt) {
    return `the subscription was created after the event, at ${at(subscription.createdAt)}`
  }
  if (subscription.deletedAt !== null) return `the subscription was deleted at ${at(subscription.deletedAt)}`
  if (!subscription.matches) return `event_types of the subscription does not let ${type} through`
  return `event_types of the subscription lets ${type} through since a later change; recover with include_unmatched sends it`
}

function whatBecame(
  delivery: ExplainedDelivery,
  subscription: ExplainedSubscription,
): { outcome: ExplainedOutcome; reason: string } {
  const { status, attemptCount, lastError } = delivery
  const failed = lastError === null ? '' : `; attempt ${attemptCount} failed: ${lastError}`
  switch (status) {
    case 'delivered':
      return { outcome: status, reason: `received at attempt ${attemptCount}, at ${at(delivery.updatedAt)}` }
    case 'delivering':
      return { outcome: 'pending', reason: `attempt ${attemptCount + 1} is being made${failed}` }
    case 'pending':
    case 'retrying':
      return { outcome: status, reason: `${whatItWaitsFor(delivery)}${failed}` }
    case 'held':
      return { outcome: status, reason: `${whyHeld(subscription)}${failed}` }
    case 'dead':
      return {
        outcome: status,
        reason: `given up at ${at(delivery.deadAt ?? delivery.updatedAt)} after ${attemptCount} attempts: ${lastError ?? 'unknown'}`,
      }
    case 'discarded':
      return { outcome: status, reason: whyDiscarded(delivery, subscription) }
  }
}

function whatItWaitsFor({ nextAttemptAt, attemptCount }: ExplainedDelivery): string {
  return nextAttemptAt === null
    ? 'it is about to be sent'
    : `attempt ${attemptCount + 1} is due at ${at(nextAttemptAt)}, or as soon as its destination has room`
}

function whyHeld({ enabled, updatedAt, breaker, openedAt }: ExplainedSubscription): string {
  if (!enabled)
    return `the subscription is disabled since ${at(updatedAt)} at the latest; enabling it sends what is held`
  if (breaker !== null && breaker !== 'closed') {
    const since = openedAt === null ? '' : ` since ${at(openedAt)}`
    return `the destination keeps failing, so it is only probed${since}; when it answers, what is held is sent`
  }
  return 'the destination has become available; what was held is being sent in order'
}

function whyDiscarded({ discardedBy, discardReason }: ExplainedDelivery, { deletedAt }: ExplainedSubscription): string {
  if (discardedBy !== null) return `discarded by ${discardedBy} because: ${discardReason ?? 'no reason was given'}`
  return deletedAt === null ? 'discarded' : `discarded, because the subscription was deleted at ${at(deletedAt)}`
}

const at = (instant: Date) => instant.toISOString()
