import type { CallerWith } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Subscription, type webhooks } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { requireNamedHost } from '../domain/auth-info/credential-hosts.ts'
import { presentSubscription } from '../domain/subscription/subscription.ts'
import { checkSubscription, unknownAuthInfo } from '../domain/subscription/subscription-input.ts'
import { countChange } from '../store/changes.ts'
import type { Tx } from '../store/database.ts'
import * as authInfos from '../store/subscription/auth-infos.ts'
import * as subscriptions from '../store/subscription/subscriptions.ts'

type Change = RequestOf<typeof webhooks.endpoints.updateSubscription>['body']

/** Throws subscription_not_found, destination_not_allowed, unknown_event_type, unknown_auth_info, permission_denied. */
export async function updateSubscription(
  deps: Deps,
  caller: CallerWith<'webhook:RevealAuthInfo'>,
  businessUnitId: string,
  subscriptionId: string,
  change: Change,
): Promise<Subscription> {
  const { tenantId } = caller
  const { destination_url: destinationUrl, webhook_auth_info_id: webhookAuthInfoId, label, enabled } = change
  const { event_types: eventTypesGiven } = change
  const violation = destinationUrl === undefined ? undefined : await deps.destinations.findViolation(destinationUrl)
  checkSubscription(eventTypesGiven, violation)
  const row = await deps.db.inTenant(tenantId, async (tx) => {
    const before = await subscriptions.lockSubscription(tx, tenantId, businessUnitId, subscriptionId)
    if (before === null) throw new Problem(problems.subscription_not_found)
    await checkCredentials(tx, caller, before, change)
    const eventTypes = eventTypesGiven === undefined ? undefined : [...(eventTypesGiven ?? [])]
    const fields = definedMembers({ destinationUrl, label, eventTypes, webhookAuthInfoId, enabled })
    const updated = await subscriptions.update(tx, tenantId, businessUnitId, subscriptionId, fields)
    await countChange(tx, tenantId, 'subscriptions')
    return updated
  })
  if (row === undefined) throw new Problem(problems.subscription_not_found)
  return presentSubscription(row)
}

/**
 * The caller has locked the subscription, and this function locks the auth info. So destination, auth info and hosts
 * stay unchanged until the commit, also with two requests at once. Throws unknown_auth_info, permission_denied.
 */
async function checkCredentials(
  tx: Tx,
  caller: CallerWith<'webhook:RevealAuthInfo'>,
  before: subscriptions.SubscriptionRow,
  { destination_url: destinationUrl = before.destinationUrl, webhook_auth_info_id: authInfoId }: Change,
): Promise<void> {
  const usedId = authInfoId === undefined ? before.webhookAuthInfoId : authInfoId
  if (usedId === null) return
  const authInfo = await authInfos.lockAuthInfo(tx, caller.tenantId, usedId, 'share')
  if (authInfo === null) throw unknownAuthInfo()
  if (usedId !== before.webhookAuthInfoId || destinationUrl !== before.destinationUrl) {
    requireNamedHost(caller, authInfo, destinationUrl)
  }
}
