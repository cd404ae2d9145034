import { listedCountMax } from '@payments/contracts/services/webhooks/health'
import type { HealthFacts } from '../../domain/subscription/subscription-health.ts'
import type { Tx } from '../database.ts'
import type { SubscriptionRow } from './subscriptions.ts'

export interface SubscriptionHealthRow extends HealthFacts {
  readonly id: string
}

/**
 * The health of subscriptions, deleted ones left out. Each count stops at `countMax` + 1 rows of a partial index, so
 * the time depends neither on the stored deliveries nor on the length of a backlog.
 */
export function listHealth(
  tx: Tx,
  tenantId: string,
  subscriptionIds: readonly string[],
  countMax: number,
): Promise<SubscriptionHealthRow[]> {
  return tx.$queryRawUnsafe<SubscriptionHealthRow[]>(
    `SELECT s.id, s.enabled, s.updated_at AS "updatedAt", t.breaker::text AS breaker, t.opened_at AS "openedAt",
       t.probe_at AS "probeAt", t.last_delivered_at AS "lastDeliveredAt", t.last_failed_at AS "lastFailedAt",
       CASE WHEN s.previous_secret_expires_at > now() THEN s.previous_secret_expires_at END AS "previousSecretExpiresAt",
       b.count AS backlogged, w.count AS scheduled
     FROM subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
     CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
       SELECT FROM deliveries d WHERE d.subscription_id = s.id AND d.backlogged
         AND d.id BETWEEN t.backlog_min_id AND t.backlog_max_id LIMIT $3::int + 1) AS backlog) AS b
     CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
       SELECT FROM deliveries d WHERE d.subscription_id = s.id AND d.status IN ('pending', 'retrying')
         AND NOT d.backlogged LIMIT $3::int + 1) AS waits) AS w
     WHERE s.tenant_id = $1::uuid AND s.id = ANY($2::uuid[]) AND s.deleted_at IS NULL`,
    tenantId,
    subscriptionIds,
    countMax,
  )
}

export interface ListedSubscriptionRow extends SubscriptionRow {
  readonly health: SubscriptionHealthRow | undefined
}

/** Rows of a list, each of the first `limit` with its health on request. */
export async function withHealth(
  tx: Tx,
  tenantId: string,
  rows: readonly SubscriptionRow[],
  { limit, include }: { readonly limit: number; readonly include?: 'health' | undefined },
): Promise<ListedSubscriptionRow[]> {
  const ids = rows.slice(0, limit).map(({ id }) => id)
  const healths = include === undefined ? [] : await listHealth(tx, tenantId, ids, listedCountMax)
  const byId = new Map(healths.map((health) => [health.id, health]))
  return rows.map((row) => ({ ...row, health: byId.get(row.id) }))
}
