import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { Subscription } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { presentSubscription, secretBinding } from '../domain/subscription.ts'
import * as subscriptions from '../store/subscriptions.ts'

/** One page counts as one reveal. */
export async function revealSubscriptions(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  { cursor, limit }: PageQuery,
): Promise<Page<Subscription>> {
  const { tenantId } = caller
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(tenantId, (tx) =>
    subscriptions.list(tx, tenantId, businessUnitId, { before, limit }),
  )
  const decrypted = await Promise.all(
    rows.map(async (row) => [row.id, await decryptSecret(deps, tenantId, row)] as const),
  )
  const secrets = new Map(decrypted)
  return toPage(rows, limit, (row) => presentSubscription(row, secrets.get(row.id)))
}

function decryptSecret(deps: Deps, tenantId: string, row: subscriptions.SubscriptionRow): Promise<string> {
  if (row.secretEncrypted === null) throw new Error(`subscription ${row.id} is not deleted and has no secret`)
  return deps.vault.decrypt(secretBinding(tenantId, row.id), row.secretEncrypted)
}
