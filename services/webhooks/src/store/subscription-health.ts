import type { HealthFacts } from '../domain/subscription-health.ts'
import type { Tx } from './database.ts'

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
