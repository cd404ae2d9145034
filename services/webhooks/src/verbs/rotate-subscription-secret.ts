import { randomBytes } from 'node:crypto'
import type { Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Subscription } from '@payments/contracts/services/webhooks/contract'
import { mask } from '@payments/vault/mask'
import type { Deps } from '../deps.ts'
import { writeSecret } from '../domain/attempt/signature.ts'
import { presentSubscription, secretBinding } from '../domain/subscription/subscription.ts'
import { replaceSecret } from '../store/subscription/subscriptions.ts'

/**
 * The response contains the masked secret, like every read; a reveal returns the secret. Throws
 * subscription_not_found.
 */
export async function rotateSubscriptionSecret(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
  graceSeconds: number,
): Promise<Subscription> {
  const { tenantId } = caller
  const secret = writeSecret(randomBytes(32))
  const secretEncrypted = await deps.vault.encrypt(secretBinding(tenantId, subscriptionId), secret)
  const replacement = { secretEncrypted, secretMasked: mask(secret), graceSeconds }
  return once(deps.db, caller, async (tx) => {
    const row = await replaceSecret(tx, tenantId, businessUnitId, subscriptionId, replacement)
    if (row === undefined) throw new Problem(problems.subscription_not_found)
    return presentSubscription(row)
  })
}
