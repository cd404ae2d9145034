import type { ListedSubscription, Subscription } from '@payments/contracts/services/webhooks/contract'
import { listedCountMax } from '@payments/contracts/services/webhooks/health'
import { type HealthFacts, presentHealth } from './subscription-health.ts'

export interface SubscriptionFacts {
  readonly id: string
  readonly businessUnitId: string
  readonly destinationUrl: string
  readonly label: string | null
  /** Empty: every type. */
  readonly eventTypes: readonly string[]
  readonly webhookAuthInfoId: string | null
  readonly enabled: boolean
  readonly secretMasked: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** `secret`: only for a reveal. */
export function presentSubscription(subscription: SubscriptionFacts, secret?: string): Subscription {
  return {
    id: subscription.id,
    business_unit_id: subscription.businessUnitId,
    destination_url: subscription.destinationUrl,
    label: subscription.label,
    event_types: subscription.eventTypes.length === 0 ? null : [...subscription.eventTypes],
    webhook_auth_info_id: subscription.webhookAuthInfoId,
    enabled: subscription.enabled,
    secret: secret ?? subscription.secretMasked,
    created_at: subscription.createdAt.toISOString(),
    updated_at: subscription.updatedAt.toISOString(),
  }
}

export function presentListedSubscription({
  health,
  ...subscription
}: SubscriptionFacts & { readonly health: HealthFacts | undefined }): ListedSubscription {
  const shown = presentSubscription(subscription)
  return health === undefined ? shown : { ...shown, health: presentHealth(health, listedCountMax) }
}

export const secretPurpose = 'webhooks.secret'

/** The record that an encrypted signing secret is bound to. */
export function secretBinding(tenantId: string, subscriptionId: string) {
  return { purpose: secretPurpose, tenantId, recordId: subscriptionId }
}
