import { randomBytes } from 'node:crypto'
import type { CallerWith } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { once } from '@payments/chassis/request/idempotency'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { Problem } from '@payments/contracts/grammar/problem'
import {
  problems,
  type Subscription,
  subscriptionsMax,
  type webhooks,
} from '@payments/contracts/services/webhooks/contract'
import { mask } from '@payments/vault/mask'
import type { Deps } from '../deps.ts'
import { writeSecret } from '../domain/attempt/signature.ts'
import { requireNamedHost } from '../domain/auth-info/credential-hosts.ts'
import { presentSubscription, secretBinding } from '../domain/subscription/subscription.ts'
import { checkSubscription, unknownAuthInfo } from '../domain/subscription/subscription-input.ts'
import { countChange } from '../store/changes.ts'
import { lockAuthInfo } from '../store/subscription/auth-infos.ts'
import { countSubscriptions, insertSubscription, lockSubscriptionsOfUnit } from '../store/subscription/subscriptions.ts'

type Creation = RequestOf<typeof webhooks.endpoints.createSubscription>['body']

/** Throws destination_not_allowed, unknown_event_type, unknown_auth_info, permission_denied, too_many_subscriptions. */
export async function createSubscription(
  deps: Deps,
  caller: CallerWith<'webhook:RevealAuthInfo'>,
  businessUnitId: string,
  creation: Creation,
): Promise<Subscription> {
  const { tenantId } = caller
  const { webhook_auth_info_id: webhookAuthInfoId, enabled } = creation
  const violation = await deps.destinations.findViolation(creation.destination_url)
  const id = newId()
  const secret = writeSecret(randomBytes(32))
  const secretEncrypted = await deps.vault.encrypt(secretBinding(tenantId, id), secret)
  return once(deps.db, caller, async (tx) => {
    checkSubscription(creation.event_types, violation)
    await lockSubscriptionsOfUnit(tx, tenantId, businessUnitId)
    if ((await countSubscriptions(tx, tenantId, businessUnitId)) >= subscriptionsMax) {
      throw new Problem(problems.too_many_subscriptions)
    }
    if (webhookAuthInfoId !== null) {
      const authInfo = await lockAuthInfo(tx, tenantId, webhookAuthInfoId, 'share')
      if (authInfo === null) throw unknownAuthInfo()
      requireNamedHost(caller, authInfo, creation.destination_url)
    }
    const row = await insertSubscription(tx, tenantId, {
      id,
      businessUnitId,
      destinationUrl: creation.destination_url,
      label: creation.label,
      eventTypes: [...(creation.event_types ?? [])],
      webhookAuthInfoId,
      enabled,
      secretEncrypted,
      secretMasked: mask(secret),
    })
    await countChange(tx, tenantId, 'subscriptions')
    return presentSubscription(row)
  })
}
