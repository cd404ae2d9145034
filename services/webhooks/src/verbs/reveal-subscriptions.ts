import { actorName, type Caller } from '@payments/chassis/caller'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/page'
import type { Subscription } from '@payments/contracts/webhooks'
import type { Deps } from '../api/deps.ts'
import { revealLimit, tooManyReveals } from '../domain/reveal.ts'
import { presentSubscription, secretBinding } from '../domain/subscription.ts'
import { countReveal } from '../store/reveals.ts'
import * as subscriptions from '../store/subscriptions.ts'

/** One page counts as one reveal. Throws rate_limited. */
export async function revealSubscriptions(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  { cursor, limit }: PageQuery,
): Promise<Page<Subscription>> {
  const { tenantId } = caller
  const before = idBefore(cursor)
  const { waitSeconds, rows } = await deps.db.inTenant(tenantId, async (tx) => {
    const waitSeconds = await countReveal(tx, tenantId, actorName(caller.actor), revealLimit)
    if (waitSeconds !== null) return { waitSeconds, rows: [] }
    return { waitSeconds, rows: await subscriptions.list(tx, tenantId, businessUnitId, { before, limit }) }
  })
  if (waitSeconds !== null) throw tooManyReveals(waitSeconds)
  const decrypted = await Promise.all(
    rows.map(async (row) => [row.id, await decryptSecret(deps, tenantId, row)] as const),
  )
  const secrets = new Map(decrypted)
  return pageOf(rows, limit, (row) => presentSubscription(row, secrets.get(row.id)))
}

function decryptSecret(deps: Deps, tenantId: string, row: subscriptions.SubscriptionRow): Promise<string> {
  if (row.secretEncrypted === null) throw new Error(`subscription ${row.id} is not deleted and has no secret`)
  return deps.vault.decrypt(secretBinding(tenantId, row.id), row.secretEncrypted)
}
