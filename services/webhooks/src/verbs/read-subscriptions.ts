import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import {
  type ListedSubscription,
  problems,
  type Subscription,
  type SubscriptionListQuery,
} from '@payments/contracts/services/webhooks/contract'
import { countMax, type SubscriptionHealth } from '@payments/contracts/services/webhooks/health'
import type { Deps } from '../deps.ts'
import { presentListedSubscription, presentSubscription, secretBinding } from '../domain/subscription/subscription.ts'
import { presentHealth } from '../domain/subscription/subscription-health.ts'
import { listHealth, withHealth } from '../store/subscription/subscription-health.ts'
import * as subscriptions from '../store/subscription/subscriptions.ts'

/** The subscriptions of one business unit; undefined: of every unit. */
export async function listSubscriptions(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string | undefined,
  { cursor, ...query }: SubscriptionListQuery,
): Promise<Page<ListedSubscription>> {
  const page = { before: idBefore(cursor), limit: query.limit }
  const rows = await deps.db.inTenant(tenantId, async (tx) =>
    withHealth(tx, tenantId, await subscriptions.list(tx, tenantId, businessUnitId, page), query),
  )
  return toPage(rows, query.limit, presentListedSubscription)
}

/** Throws subscription_not_found. */
export async function readSubscription(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<Subscription> {
  return presentSubscription(await find(deps, caller, businessUnitId, subscriptionId))
}

/** Throws subscription_not_found. */
export function readSubscriptionHealth(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<SubscriptionHealth> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    const subscription = await subscriptions.findSubscription(tx, tenantId, businessUnitId, subscriptionId)
    const [health] = subscription === null ? [] : await listHealth(tx, tenantId, [subscriptionId], countMax)
    if (health === undefined) throw new Problem(problems.subscription_not_found)
    return presentHealth(health, countMax)
  })
}

/** Throws subscription_not_found. */
export async function revealSubscription(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<Subscription> {
  return reveal(deps, await find(deps, caller, businessUnitId, subscriptionId))
}

/** One page counts as one reveal. */
export async function revealSubscriptions(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  { cursor, limit }: PageQuery,
): Promise<Page<Subscription>> {
  const before = idBefore(cursor)
  const rows = await deps.db.inTenant(tenantId, (tx) =>
    subscriptions.list(tx, tenantId, businessUnitId, { before, limit }),
  )
  const revealed = await Promise.all(rows.map((row) => reveal(deps, row)))
  return toPage(revealed, limit, (subscription) => subscription)
}

async function find(
  { db }: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<subscriptions.SubscriptionRow> {
  const row = await db.readInTenant(tenantId, (tx) =>
    subscriptions.findSubscription(tx, tenantId, businessUnitId, subscriptionId),
  )
  if (row === null) throw new Problem(problems.subscription_not_found)
  return row
}

async function reveal({ vault }: Deps, row: subscriptions.SubscriptionRow): Promise<Subscription> {
  if (row.secretEncrypted === null) throw new Error(`subscription ${row.id} is not deleted and has no secret`)
  return presentSubscription(row, await vault.decrypt(secretBinding(row.tenantId, row.id), row.secretEncrypted))
}
