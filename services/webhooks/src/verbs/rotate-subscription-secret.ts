import { randomBytes } from 'node:crypto'
import type { Caller } from '@payments/chassis/caller'
import { once } from '@payments/chassis/idempotency'
import { Problem } from '@payments/contracts/problem'
import { problems, type Subscription } from '@payments/contracts/webhooks'
import { mask } from '@payments/vault/mask'
import type { Deps } from '../api/deps.ts'
import { writeSecret } from '../domain/signature.ts'
import { presentSubscription, secretBinding } from '../domain/subscription.ts'
import { replaceSecret } from '../store/subscriptions.ts'

/** The answer redacts the secret, as all reads do: to have it is what a reveal is for. Throws subscription_not_found. */
export async function rotateSubscriptionSecret(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
  graceSeconds: number,
): Promise<Subscription> {
  const { tenantId } = caller
  const secret = writeSecret(randomBytes(32))
  const secretSealed = await deps.vault.encrypt(secretBinding(tenantId, subscriptionId), secret)
  const replacement = { secretSealed, secretMasked: mask(secret), graceSeconds }
  return once(deps.db, caller, async (tx) => {
    const row = await replaceSecret(tx, tenantId, businessUnitId, subscriptionId, replacement)
    if (row === undefined) throw new Problem(problems.subscription_not_found)
    return presentSubscription(row)
  })
}
