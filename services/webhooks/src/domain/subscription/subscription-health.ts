import type { SubscriptionHealth } from '@payments/contracts/services/webhooks/health'

/** Whether deliveries to a subscription are sent, and since when they are not. */
export interface Holding {
  readonly enabled: boolean
  readonly updatedAt: Date
  /** Null: no destination is stored, so the breaker is closed. */
  readonly breaker: 'closed' | 'open' | 'half_open' | null
  readonly openedAt: Date | null
}

export interface HealthFacts extends Holding {
  readonly probeAt: Date | null
  /** Numbers of deliveries in the backlog and of scheduled deliveries, each at most one above the limit of counts. */
  readonly backlogged: number
  readonly scheduled: number
  readonly lastDeliveredAt: Date | null
  readonly lastFailedAt: Date | null
  readonly previousSecretExpiresAt: Date | null
}

/** Why the deliveries of a subscription are held. Undefined while they are sent. */
export function holdingReason({ enabled, updatedAt, breaker, openedAt }: Holding): string | undefined {
  if (!enabled) {
    return `The subscription has been disabled since ${at(updatedAt)} or earlier. Enable it to send held deliveries`
  }
  if (breaker === null || breaker === 'closed') return undefined
  const since = openedAt === null ? '' : ` since ${at(openedAt)}`
  return `The circuit breaker has been open${since}. Held deliveries are sent after a successful probe`
}

/** A backlogged row keeps its status when the subscription is disabled, so the subscription decides what is held. */
export function presentHealth(facts: HealthFacts, countMax: number): SubscriptionHealth {
  const { backlogged, scheduled, breaker, openedAt, probeAt } = facts
  const isHeld = holdingReason(facts) !== undefined
  const waiting = isHeld ? scheduled : scheduled + backlogged
  return {
    ...describeState(facts),
    breaker: {
      state: breaker ?? 'closed',
      opened_at: instant(openedAt),
      probe_at: breaker === 'open' ? instant(probeAt) : null,
    },
    held: isHeld ? Math.min(backlogged, countMax) : 0,
    waiting: Math.min(waiting, countMax),
    counts_capped: backlogged > countMax || waiting > countMax,
    last_delivered_at: instant(facts.lastDeliveredAt),
    last_failed_at: instant(facts.lastFailedAt),
    previous_secret_expires_at: instant(facts.previousSecretExpiresAt),
  }
}

function describeState(facts: HealthFacts): Pick<SubscriptionHealth, 'state' | 'reason'> {
  const { enabled, lastDeliveredAt, lastFailedAt } = facts
  const holding = holdingReason(facts)
  if (holding !== undefined) return { state: enabled ? 'paused' : 'disabled', reason: holding }
  const accepted =
    lastDeliveredAt === null ? 'No attempt has succeeded yet' : `The last success was at ${at(lastDeliveredAt)}`
  if (lastFailedAt !== null && (lastDeliveredAt === null || lastFailedAt > lastDeliveredAt)) {
    return { state: 'failing', reason: `The last attempt failed at ${at(lastFailedAt)}. ${accepted}` }
  }
  return { state: 'active', reason: lastDeliveredAt === null ? 'No attempt has been made yet' : accepted }
}

const at = (instant: Date) => instant.toISOString()
const instant = (given: Date | null) => given?.toISOString() ?? null
