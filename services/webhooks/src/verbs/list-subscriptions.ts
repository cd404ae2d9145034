import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/grammar/page'
import type { ListedSubscription } from '@payments/contracts/services/webhooks/contract'
import { listedCountMax } from '@payments/contracts/services/webhooks/health'
import type { Deps } from '../deps.ts'
import { presentSubscription } from '../domain/subscription.ts'
import { presentHealth } from '../domain/subscription-health.ts'
import { listHealth } from '../store/subscription-health.ts'
import * as subscriptions from '../store/subscriptions.ts'

export async function listSubscriptions(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  { cursor, limit, include }: PageQuery & { include?: 'health' | undefined },
): Promise<Page<ListedSubscription>> {
  const { tenantId } = caller
  const before = idBefore(cursor)
  const { rows, healths } = await deps.db.readInTenant(tenantId, async (tx) => {
    const rows = await subscriptions.list(tx, tenantId, businessUnitId, { before, limit })
    const ids = rows.slice(0, limit).map(({ id }) => id)
    const healths = include === undefined ? [] : await listHealth(tx, tenantId, ids, listedCountMax)
    return { rows, healths }
  })
  const byId = new Map(healths.map((health) => [health.id, presentHealth(health, listedCountMax)]))
  return pageOf(rows, limit, (row) => {
    const health = byId.get(row.id)
    return { ...presentSubscription(row), ...(health === undefined ? {} : { health }) }
  })
}
