import { actorName, type Caller } from '@payments/chassis/caller'
import { Problem } from '@payments/contracts/problem'
import { problems, type Subscription } from '@payments/contracts/webhooks'
import type { Deps } from '../api/deps.ts'
import { revealLimit, tooManyReveals } from '../domain/reveal.ts'
import { presentSubscription, secretBinding } from '../domain/subscription.ts'
import { countReveal } from '../store/reveals.ts'
import { findSubscription } from '../store/subscriptions.ts'

/** Throws subscription_not_found, which also counts as a reveal, and rate_limited. */
export async function revealSubscription(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<Subscription> {
  const { tenantId } = caller
  const { waitSeconds, row } = await deps.db.inTenant(tenantId, async (tx) => {
    const waitSeconds = await countReveal(tx, tenantId, actorName(caller.actor), revealLimit)
    if (waitSeconds !== null) return { waitSeconds, row: null }
    return { waitSeconds, row: await findSubscription(tx, tenantId, businessUnitId, subscriptionId) }
  })
  // Thrown after the commit, so that a reveal without a result counts.
  if (waitSeconds !== null) throw tooManyReveals(waitSeconds)
  if (row === null || row.secretEncrypted === null) throw new Problem(problems.subscription_not_found)
  return presentSubscription(row, await deps.vault.decrypt(secretBinding(tenantId, row.id), row.secretEncrypted))
}
