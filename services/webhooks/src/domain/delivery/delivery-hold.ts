import type { DeliveryStatus, Hold } from '@payments/contracts/services/webhooks/delivery'

/** Of a delivery, its subscription and its destination. Without a stored destination, the breaker is null: closed. */
export interface HoldFacts {
  readonly status: DeliveryStatus
  readonly backlogged: boolean
  readonly enabled: boolean
  readonly subscriptionUpdatedAt: Date
  readonly breaker: 'closed' | 'open' | 'half_open' | null
  readonly openedAt: Date | null
  readonly probeAt: Date | null
}

/** A backlogged row keeps its status when the subscription is disabled, so subscription and breaker decide. */
export function presentHold(facts: HoldFacts): Hold | null {
  const { status, backlogged, enabled, subscriptionUpdatedAt, breaker, openedAt, probeAt } = facts
  if (!backlogged) return null
  if (!enabled) {
    const action = 'Enable the subscription. Its held deliveries are then sent in the order of their events.'
    return { reason: 'subscription_disabled', since: subscriptionUpdatedAt.toISOString(), until: null, action }
  }
  if (breaker === 'open' || breaker === 'half_open') {
    const until = breaker === 'open' ? (probeAt?.toISOString() ?? null) : null
    const action =
      'Repair the receiver, then send a test event: when the receiver accepts it, a held delivery probes the destination at once. Otherwise wait for the next probe. After a successful probe, the held deliveries are sent.'
    return { reason: 'circuit_open', since: openedAt?.toISOString() ?? null, until, action }
  }
  if (status !== 'held') return null
  return { reason: 'releasing', since: null, until: null, action: 'Nothing: the delivery is sent soon.' }
}
